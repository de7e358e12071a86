// Bridge's events: their signature, their envelope, and what each is about.

import type { IncomingHttpHeaders } from 'node:http'
import type { Events } from '../port.ts'
import { judgeSignatureHeader, parseProviderPublicKey, verifyProviderSignature } from './signature.ts'
import { readEvent } from './wire/event.ts'
import { informationRequestCategory, reducedBody } from './wire/information-request.ts'

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
  read: readEvent,
  forwarded: ({ about }, body, rawBody) => (about === 'information_request' ? reducedBody(body) : rawBody),
  types: categories.flatMap((category) => changes.map((change) => `${category}.${change}`)),
}
