// DELETE /v0/alert-channels/:id

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { deletesChannel, ofBusiness } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofBusiness(world)

test('200 the channel is gone, and its messages stay in the log', () => deletesChannel(owner))
