// GET /v0/alert-channels/:id

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { ofBusiness, showsChannel } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofBusiness(world)

test('200 the channel, as its creation returned it', () => showsChannel(owner))
