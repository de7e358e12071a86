// What must be true of what a story did, whatever the form of the answers: a created thing is there for its owner and for
// nobody else, a foreign one reads as an absent one, a deleted one is gone, a repeat under one key answers the same.

import { type Answer, assertSameAnswer } from '../../../server/test/caller.ts'
import { absentNames, nounOf } from '../../../server/test/http/operation-matrix.ts'
import type { Noun } from './requests/known-objects.ts'
import { pathNaming, type RequestPlace } from './requests/parts.ts'
import type { Made } from './requests/requests.ts'
import { type Ask, stepOf } from './steps.ts'

const readers: Readonly<Record<string, { read: string; noun: Noun; names(data: Record<string, unknown>): unknown }>> = {
  createEndUser: { read: 'getEndUser', noun: 'externalUserId', names: (data) => data['externalUserId'] },
  createVirtualAccount: { read: 'getVirtualAccount', noun: 'account', names: (data) => data['id'] },
  createWebhookEndpoint: { read: 'getWebhookEndpoint', noun: 'webhookEndpoint', names: (data) => data['id'] },
  startReplay: { read: 'getReplay', noun: 'replay', names: (data) => data['id'] },
}

export async function checkFacts(ask: Ask, place: RequestPlace, made: Made, answer: Answer): Promise<void> {
  if (made.sent.method !== made.operation.method) return
  if (answer.status === 200) {
    await isThereForItsOwnerOnly(ask, place, made, answer)
    await isAnsweredAgain(ask, made, answer)
  }
  await isGone(ask, place, made, answer)
  await foreignIsAbsent(ask, place, made)
  await isDead(ask, place)
}

async function isThereForItsOwnerOnly(ask: Ask, place: RequestPlace, made: Made, { body }: Answer): Promise<void> {
  const reader = readers[made.operation.id]
  if (!reader) return
  const names = String(reader.names(body.data))
  const own = await ask(stepOf(reader.read, { names, credential: place.business.key }), place.business)
  if (own && String(reader.names(own.body?.data ?? {})) !== names)
    ask.report(made, 'what was created is not what is read')
  await compareForeign(ask, stepOf(reader.read, { names, credential: place.foreign.key }), reader.noun)
}

async function isAnsweredAgain(ask: Ask, made: Made, first: Answer): Promise<void> {
  if (!made.sent.headers.some(([name]) => name === 'idempotency-key')) return
  if (['rollApiKey', 'revokeApiKey', 'issueApiKey'].includes(made.operation.id)) return
  const again = await ask(made)
  if (
    again &&
    (again.status !== 200 || again.text !== first.text || again.headers.get('idempotent-replayed') !== 'true')
  )
    ask.report(made, `the same Idempotency-Key was answered otherwise: ${again.status} ${again.text.slice(0, 200)}`)
}

const removals: Readonly<Record<string, string>> = {
  eraseEndUser: 'getEndUser',
  deleteWebhookEndpoint: 'getWebhookEndpoint',
}

async function isGone(ask: Ask, place: RequestPlace, made: Made, answer: Answer): Promise<void> {
  const reader = removals[made.operation.id]
  if (!reader || answer.status !== 200 || made.sent.method !== 'DELETE') return
  const names = decodeURIComponent(made.sent.path.split('?', 1)[0]?.split('/')[3] ?? '')
  await ask({ ...stepOf(reader, { names, credential: place.business.key }), expects: [404] })
}

/** The same request about an object of the other business, and about none: nobody can tell them apart. */
async function foreignIsAbsent(ask: Ask, place: RequestPlace, made: Made): Promise<void> {
  const { draw } = place.making
  const { operation } = made
  if (operation.auth !== 'business' || made.kind !== 'valid' || !operation.path.includes('{') || !draw.oneIn(3)) return
  const noun = nounOf(operation)
  const names = place.foreign.living.get(noun) ?? []
  if (names.length === 0) return
  const name = draw.pick(names)
  if (place.business.living.get(noun)?.includes(name)) return
  const [, query] = made.sent.path.split('?')
  const path = pathNaming(operation, name) + (query === undefined ? '' : `?${query}`)
  await compareForeign(ask, { ...made, sent: { ...made.sent, path } }, noun)
}

async function compareForeign(ask: Ask, made: Made, noun: Noun): Promise<void> {
  const [, query] = made.sent.path.split('?')
  const path = pathNaming(made.operation, absentNames[noun]) + (query === undefined ? '' : `?${query}`)
  // A key would bring back an earlier answer.
  const headers = made.sent.headers.filter(([name]) => name !== 'idempotency-key')
  const sent = { ...made.sent, headers }
  const foreign = await ask({ ...made, expects: null, sent })
  const absent = await ask({ ...made, expects: null, sent: { ...sent, path } })
  if (!foreign || !absent) return
  try {
    assertSameAnswer(foreign, absent)
    if (foreign.status === 200 && made.operation.id !== 'listReplays')
      throw new Error('a foreign object was answered with 200')
  } catch (error) {
    ask.report(
      made,
      `foreign is not answered as absent: ${foreign.text.slice(0, 200)} | ${absent.text.slice(0, 200)} | ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
    )
  }
}

/** A key that has run out goes among the dead ones, each of which every request with it then proves. */
async function isDead(ask: Ask, { business }: RequestPlace): Promise<void> {
  const { expiring } = business
  if (expiring === null || performance.now() < expiring.atMs) return
  business.expiring = null
  business.deadKeys.push(expiring.key)
  await ask({ ...stepOf('whoAmI', { credential: expiring.key }), expects: [401] })
}
