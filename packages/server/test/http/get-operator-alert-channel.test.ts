// GET /v0/operator/alert-channels/:id

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { ofOperator, showsChannel } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofOperator(world)

test('200 the channel, as its creation returned it', () => showsChannel(owner))
