// DELETE /v0/operator/alert-channels/:id

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { deletesChannel, ofOperator } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofOperator(world)

test('200 the channel is gone, and its messages stay in the log', () => deletesChannel(owner))
