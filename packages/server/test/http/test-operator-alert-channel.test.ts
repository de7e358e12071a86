// POST /v0/operator/alert-channels/:id/test

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { ofOperator, refusesTestOfEmail, sendsTest } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofOperator(world)

test('200, then 429 within a minute: the message arrives, and the log has its outcome', () => sendsTest(owner))

test('422 for email, once the deployment cannot send it', () => refusesTestOfEmail(world, owner))
