// GET /v0/operator/alert-channels

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { listsNewestFirst, ofOperator } from './alert-channel-cases.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const owner = ofOperator(world)

test('200 newest first, page by page', () => listsNewestFirst(owner))
