// Finds objects by what somebody has at hand: an ID, an own identifier, an email address, a bank reference, a transaction hash.

import { NotFoundError } from '@causeway/sdk'
import { groupDigits } from '../../components/money.tsx'
import { causeway } from '../../session/client.ts'
import { endUserPath } from '../../session/paths.ts'
import { may, type Session } from '../../session/session.ts'

export type Found = { id: string; kind: string; title: string; note?: string; to: string }

type Look = {
  role: Session['role']
  scope?: string
  /** Which texts are worth a request. */
  fits: RegExp
  find: (text: string, signal: AbortSignal) => Promise<readonly Found[]>
}

const foundMax = 5
const own = (prefix: string): RegExp => new RegExp(`^${prefix}_[0-9a-z]{26}$`)

/** The object with an ID; none where there is none. */
async function one<Row>(read: Promise<Row>, shown: (row: Row) => Omit<Found, 'id'> & { id?: string }, id: string) {
  try {
    return [{ id, ...shown(await read) }]
  } catch (failure) {
    if (failure instanceof NotFoundError) return []
    throw failure
  }
}

const accountOf = (account: { id: string; sourceCurrency: string; externalUserId: string }): Found => ({
  id: account.id,
  kind: 'Account',
  title: `${account.sourceCurrency.toUpperCase()} account of ${account.externalUserId}`,
  to: `/accounts/${account.id}`,
})

const looks: readonly Look[] = [
  {
    role: 'business',
    scope: 'end_users:read',
    fits: /./,
    find: async (q, signal) =>
      (await causeway.endUsers.list({ q, limit: foundMax }, { signal })).data.map(({ id, externalUserId, email }) => ({
        id,
        kind: 'End-user',
        title: externalUserId,
        ...(email !== null && { note: email }),
        to: endUserPath(externalUserId),
      })),
  },
  {
    role: 'business',
    scope: 'virtual_accounts:read',
    fits: /^(?!va_)[^@]{2,128}$/,
    find: async (externalUserId, signal) =>
      (await causeway.virtualAccounts.list({ externalUserId, limit: foundMax }, { signal })).data.map(accountOf),
  },
  {
    role: 'business',
    scope: 'virtual_accounts:read',
    fits: own('va'),
    find: (id, signal) => one(causeway.virtualAccounts.get(id, { signal }), accountOf, id),
  },
  {
    role: 'business',
    scope: 'virtual_accounts:read',
    fits: /^[^@\s]{4,256}$/,
    find: async (q, signal) =>
      (await causeway.deposits.list({ q, limit: foundMax }, { signal })).data.map(
        ({ id, grossAmount, sourceCurrency, externalUserId }) => ({
          id,
          kind: 'Deposit',
          title: `${grossAmount === null ? '' : `${groupDigits(grossAmount.value)} `}${sourceCurrency.toUpperCase()} to ${externalUserId}`,
          to: `/deposits/${id}`,
        }),
      ),
  },
  {
    role: 'business',
    scope: 'events:read',
    fits: own('evt'),
    find: (id, signal) =>
      one(
        causeway.events.get(id, { signal }),
        ({ eventType }) => ({ kind: 'Event', title: eventType, to: `/events/${id}` }),
        id,
      ),
  },
  {
    role: 'business',
    scope: 'events:read',
    fits: own('dlv'),
    find: (id, signal) =>
      one(
        causeway.deliveries.get(id, { signal }),
        ({ status }) => ({ kind: 'Delivery', title: id, note: status, to: `/webhooks/deliveries/${id}` }),
        id,
      ),
  },
  {
    role: 'business',
    scope: 'webhooks:read',
    fits: own('whe'),
    find: (id, signal) =>
      one(
        causeway.webhookEndpoints.get(id, { signal }),
        ({ webhookUrl }) => ({ kind: 'Endpoint', title: webhookUrl, to: `/webhooks/${id}` }),
        id,
      ),
  },
  {
    role: 'business',
    scope: 'webhooks:read',
    fits: own('rpl'),
    find: (id, signal) =>
      one(
        causeway.webhookEndpoints.getReplay(id, { signal }),
        ({ state }) => ({ kind: 'Replay', title: id, note: state, to: `/webhooks/replays/${id}` }),
        id,
      ),
  },
  {
    role: 'business',
    scope: 'api_keys:read',
    fits: /^[\w.:-]{8,128}$/,
    find: async (requestId, signal) =>
      (await causeway.requests.list({ requestId, limit: 1 }, { signal })).data.map(({ method, path, status }) => ({
        id: requestId,
        kind: 'Request',
        title: `${method} ${path}`,
        note: String(status),
        to: `/developers/requests/${encodeURIComponent(requestId)}`,
      })),
  },
  {
    role: 'operator',
    fits: /./,
    find: async (q, signal) =>
      (await causeway.list('listCustomers', { query: { q, limit: foundMax } }, { signal })).data.map(
        ({ id, name }) => ({ id, kind: 'Business', title: name, to: `/operator/businesses/${id}` }),
      ),
  },
]

export async function find(session: Session, text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const asked = looks.filter(
    ({ role, scope, fits }) => role === session.role && (scope === undefined || may(session, scope)) && fits.test(text),
  )
  return (await Promise.all(asked.map((look) => look.find(text, signal)))).flat()
}
