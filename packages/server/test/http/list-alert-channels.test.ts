// GET /v0/alert-channels

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { listsNewestFirst, ofBusiness } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofBusiness(world)

test('200 newest first, page by page', () => listsNewestFirst(owner))
