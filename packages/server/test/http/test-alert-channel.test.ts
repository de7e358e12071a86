// POST /v0/alert-channels/:id/test

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import { ofBusiness, refusesTestOfEmail, sendsTest } from './alert-channel-cases.ts'

const world = await openWorld()
after(() => world.stop())
const owner = ofBusiness(world)

test('200, then 429 within a minute: the message arrives, and the log has its outcome', () => sendsTest(owner))

test('422 for email, once the deployment cannot send it', () => refusesTestOfEmail(world, owner))
