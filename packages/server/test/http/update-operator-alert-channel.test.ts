// PATCH /v0/operator/alert-channels/:id

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { changesWhatIsSent, ofOperator, openChannel, refusesChanges } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofOperator(world)
const { path } = await openChannel(owner)

test('200 changes what is sent, and nothing else', () => changesWhatIsSent(owner, path))

test('400 a target of another type or inside the network, values out of range, and nothing at all', () =>
  refusesChanges(owner, path))
