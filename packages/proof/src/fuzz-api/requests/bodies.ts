// Bodies that mean something to an operation, where its schema alone would not say what: addresses that exist, wallets with a
// checksum, identity data in form. Everything else is drawn from the schema.

import fc from 'fast-check'
import type { Operation } from '../../../../server/test/caller.ts'
import { absentNames } from '../../../../server/test/http/operation-matrix.ts'
import { kycBody, solanaWallet } from '../../../../server/test/people.ts'
import { freshIdentityMark } from '../../fuzz/marks.ts'
import type { Schema } from './described.ts'
import type { Business, Noun } from './known-objects.ts'
import { type Making, validValue } from './values.ts'

export type BodyPlace = { making: Making; business: Business; inboxUrl: string }

let serial = 0
const freshName = (): string => `user-${process.pid}-${(++serial).toString(36)}`

export function ownName({ making: { draw }, business }: BodyPlace, noun: Noun): string {
  const living = business.living.get(noun) ?? []
  return living.length > 0 ? draw.pick(living) : absentNames[noun]
}

const wallets = [
  solanaWallet,
  { payment_rail: 'ethereum', currency: 'usdc', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  { payment_rail: 'polygon', currency: 'usdc', address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' },
  { payment_rail: 'base', currency: 'usdc', address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' },
] as const

const webhookUrl = ({ making: { draw, mark }, inboxUrl }: BodyPlace): string =>
  draw.pick([
    inboxUrl,
    inboxUrl,
    'http://127.0.0.1:9/closed',
    `${inboxUrl}-${mark()}`,
    'https://192.0.2.1/documentation',
  ])

type Changes = Record<string, unknown>
type Meaning = (place: BodyPlace) => Changes

const optional = (place: BodyPlace, changes: Meaning): Changes => (place.making.draw.oneIn(2) ? changes(place) : {})

/** Members that replace those of the drawn body; `undefined` removes a member. */
const meanings: Readonly<Record<string, Meaning>> = {
  createEndUser: (place) => {
    const externalUserId = place.making.draw.pick([
      freshName(),
      freshName(),
      freshName(),
      place.business.living.get('externalUserId')?.[0] ?? freshName(),
      `é/${freshName()} ?`,
    ])
    return { externalUserId, ...optional(place, () => ({ email: `${freshName()}@example.com` })) }
  },
  createTosLink: (place) => ({
    redirectUri: undefined,
    ...optional(place, () => ({
      redirectUri: place.making.draw.pick(['https://example.com/back', 'http://127.0.0.1:3000/x?y=1']),
    })),
  }),
  createVirtualAccount: (place) => ({
    externalUserId: ownName(place, 'externalUserId'),
    source: { currency: place.making.draw.pick(['usd', 'eur', 'mxn']) },
    destination: place.making.draw.pick(wallets),
    developer_fee_percent: place.making.draw.pick(['0', '0.5', '99.9999', undefined]),
  }),
  updateVirtualAccount: (place) =>
    place.making.draw.pick([
      { developer_fee_percent: '1.25', destination: undefined },
      { destination: place.making.draw.pick(wallets), developer_fee_percent: undefined },
    ]),
  setWebhookUrl: (place) => ({ webhookUrl: webhookUrl(place) }),
  setCustomerWebhookUrl: (place) => ({ webhookUrl: webhookUrl(place) }),
  createWebhookEndpoint: (place) => ({ webhookUrl: webhookUrl(place), eventTypes: undefined }),
  updateWebhookEndpoint: (place) => optional(place, () => ({ webhookUrl: webhookUrl(place) })),
  startReplay: ({ making: { draw } }) => ({
    from: new Date(Date.now() - draw.pick([60_000, 3_600_000])).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
    eventTypes: undefined,
    status: draw.pick(['all', 'delivered', 'failed', 'missing', 'undelivered']),
  }),
  replayEvent: (place) => ({
    webhookEndpointId: undefined,
    ...optional(place, () => ({ webhookEndpointId: ownName(place, 'webhookEndpoint') })),
  }),
  simulateDeposit: (place) => ({
    virtualAccountId: ownName(place, 'account'),
    amount: place.making.draw.pick([
      '10.00',
      '12.41',
      '99.42',
      '7.43',
      '7.44',
      '7.45',
      '7.46',
      '0.01',
      '999999999999.99',
    ]),
    paymentRail: undefined,
  }),
  acceptTerms: (place) => ({ externalUserId: ownName(place, 'externalUserId') }),
  simulateInformationRequest: (place) => ({
    externalUserId: ownName(place, 'externalUserId'),
    depositId: undefined,
  }),
  // A fault would fail the requests of all stories.
  addSandboxFault: () => ({ path: '^/v0/nothing$' }),
  // An inbox that fails would end the endpoints of the story.
  configureSandboxInbox: () => ({ respondWith: 200, delayMs: 0, failNext: 0 }),
  decideKyc: (place) => ({ externalUserId: ownName(place, 'externalUserId'), endorsement: undefined }),
  moveSandboxClock: ({ making: { draw } }) => ({ advanceSeconds: 1 + draw.below(3) }),
  // A suspended business would end its story.
  updateCustomer: () => ({ status: 'active' }),
  issueApiKey: ({ making: { draw } }) => ({
    expiresAt: draw.pick([undefined, new Date(Date.now() + 86_400_000).toISOString()]),
  }),
  issueCustomerApiKey: ({ making: { draw } }) => ({
    expiresAt: draw.pick([undefined, new Date(Date.now() + 86_400_000).toISOString()]),
  }),
  receiveProviderWebhook: (place) => ({
    event_id: `wh_${freshName()}`,
    ...optional(place, () => ({ customer_id: freshName(), created_at: new Date().toISOString() })),
  }),
}

export function validBody(operation: Operation, place: BodyPlace): unknown {
  if (operation.body === null) return undefined
  const { draw } = place.making
  if (operation.id === 'submitKyc') return identityData(place, null)
  if (!operation.bodyRequired && draw.oneIn(6)) return undefined
  const body = validValue(operation.body as Schema, place.making)
  const meaning = meanings[operation.id]
  if (!meaning || typeof body !== 'object' || body === null) return body
  const changed = { ...body, ...meaning(place) }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))
}

/** Identity data with a mark in each free text, except the names, which an account shows as those of its holder. */
export function identityData({ making: { draw } }: BodyPlace, agreement: string | null): Record<string, unknown> {
  const mark = freshIdentityMark()
  const outcome = draw.pick(['', '', '', '+reject', '+review', '+rfi'])
  const body = JSON.parse(
    JSON.stringify(kycBody(agreement ?? draw.of(fc.uuid()), `${mark}${outcome}`)).replaceAll('ZqCanary', mark),
  )
  const more = draw.oneIn(3) ? { nationality: 'usa', occupation: mark, future_field: { note: mark } } : {}
  // The provider's links about somebody name the address: it comes back in them.
  return { ...body, email: `${freshName()}${outcome}@example.com`, ...more }
}
