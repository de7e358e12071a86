// Bridge's events: their signature, their envelope, and what each is about.

import type { IncomingHttpHeaders } from 'node:http'
import type { EventReading, Events } from '../port.ts'
import { judgeSignatureHeader, parseProviderPublicKey, verifyProviderSignature } from './signature.ts'
import { readEvent } from './wire/event.ts'
import { bodyToForward, informationRequestCategory } from './wire/information-request.ts'

const categories = [
  'customer',
  'kyc_link',
  'virtual_account.activity',
  'transfer',
  'liquidation_address.drain',
  'static_memo.activity',
  'bridge_wallet.activity',
  'external_account',
  'card_account',
  'card_transaction',
  'card_withdrawal',
  'posted_card_account_transaction',
  informationRequestCategory,
]
const changes = ['created', 'updated', 'updated.status_transitioned', 'deleted', 'canceled']

const signatureOf = (headers: IncomingHttpHeaders) => headers['x-webhook-signature']?.toString()

export const events: Events = {
  judge: (headers, nowMs) => judgeSignatureHeader(signatureOf(headers), nowMs),
  check: (rawBody, headers, publicKeys, nowMs) =>
    verifyProviderSignature({ header: signatureOf(headers), rawBody, publicKeys, nowMs }),
  readKey: parseProviderPublicKey,
  envelope: (body) => ({
    id: { name: 'event_id', value: body['event_id'] },
    type: { name: 'event_type', value: body['event_type'] },
  }),
  read(body) {
    const { category, named, hints, customerId, activity, informationRequest } = readEvent(body)
    const about = aboutOf(category, activity)
    const { customers, kycLinks: hostedPages, accounts, activities } = named
    return {
      about,
      isAboutPeople: about === 'customer' || about === 'hosted_kyc',
      hints,
      named: { customers, hostedPages, accounts, activities },
      customerId,
      activity,
      informationRequest,
    }
  },
  forwarded: ({ about }, body, rawBody) =>
    about === 'information_request' ? bodyToForward(informationRequestCategory, body, rawBody) : rawBody,
  types: categories.flatMap((category) => changes.map((change) => `${category}.${change}`)),
}

const kinds: ReadonlyMap<string, EventReading['about']> = new Map([
  ['customer', 'customer'],
  ['kyc_link', 'hosted_kyc'],
  ['virtual_account', 'account'],
  [informationRequestCategory, 'information_request'],
])

function aboutOf(category: string, activity: EventReading['activity']): EventReading['about'] {
  if (category === 'virtual_account.activity') return activity?.isAccountStep ? 'account' : 'deposit'
  return kinds.get(category) ?? 'other'
}
