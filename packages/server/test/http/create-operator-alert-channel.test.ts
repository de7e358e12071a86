// POST /v0/operator/alert-channels

import { after, test } from 'node:test'
import { openWorld } from '../world.ts'
import {
  createsWithDefaults,
  noAddresses,
  ofOperator,
  refusedTargets,
  refusesAddress,
  refusesAnEleventh,
  refusesEmail,
  refusesTarget,
  showsSecretOnce,
} from './alert-channel-cases.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const owner = ofOperator(world)

test('200 with defaults; the URL is never returned, only its origin', () => createsWithDefaults(owner))

test('200 a webhook has a signing secret, in this response only', () => showsSecretOnce(owner))

for (const [what, body, param] of refusedTargets) test(`400 ${what}`, () => refusesTarget(owner, body, param))

for (const email of noAddresses) test(`400 ${JSON.stringify(email)} is no address`, () => refusesAddress(owner, email))

test('422 email, which this deployment cannot send', () => refusesEmail(owner))

test('422 an eleventh channel', () => refusesAnEleventh(owner))
