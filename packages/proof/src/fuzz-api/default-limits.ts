// A server with the limits it has unless told otherwise: who asks too often is told so, in the declared form, and nobody else is.

import { operations } from '../../../server/test/caller.ts'
import { freshMark } from '../fuzz/marks.ts'
import { identityData } from './requests/bodies.ts'
import { drawOf } from './requests/draw.ts'
import type { RequestPlace } from './requests/parts.ts'
import type { Ask } from './steps.ts'
import { stepOf } from './steps.ts'

const requestsPerWindow = 1_000
const submissionsPerMinute = 10
const failuresPerMinute = 20

/** @returns how often 429 was the answer */
export async function meetLimits(ask: Ask, place: RequestPlace): Promise<number> {
  let refused = 0
  const count = (status: number | undefined): void => {
    if (status === 429) refused += 1
  }
  const credential = place.business.key
  const names = `limited-${drawOf(0, 0).below(1e9)}`
  await ask(stepOf('createEndUser', { body: { externalUserId: names }, credential }))
  for (let sent = 0; sent <= submissionsPerMinute; sent++) {
    const body = identityData(place, null)
    const expects = sent < submissionsPerMinute ? [200, 422] : [429]
    const step = stepOf('submitKyc', { names, query: '?dryRun=true', body, credential })
    count((await ask({ ...step, expects }))?.status)
  }
  const flood = Array.from({ length: requestsPerWindow + 50 }, async () => {
    const answer = await ask({ ...stepOf('whoAmI', { credential }), expects: [200, 429] })
    count(answer?.status)
  })
  await Promise.all(flood)
  await ask(stepOf('whoAmI', { credential: place.foreign.key }))
  for (const operation of operations) {
    if (operation.auth !== 'operator') continue
    for (let sent = 0; sent < failuresPerMinute; sent++) {
      const guess = {
        ...stepOf(operation.id, { names: freshMark(), credential: `${freshMark()}${'x'.repeat(20)}` }),
        expects: [401, 429],
      }
      count((await ask(guess))?.status)
    }
  }
  await ask(stepOf('whoAmI', { credential: place.foreign.key }))
  return refused
}
