// Helpers for the stories about a business on a stage: requests of a caller, initial end-users and accounts, and the objects at
// the provider and in Causeway.

import type { Query } from '../../../server/src/platform/postgres/query.ts'
import { type Answer, request, until } from '../../../server/test/caller.ts'
import { kycBody, solanaWallet } from '../../../server/test/people.ts'
import type { Stage } from './stage.ts'

export type Sent = {
  method: string
  path: string
  body?: unknown
  /** The credential. Default: an API key. */
  as?: 'business' | 'operator' | 'provider'
  headers?: Record<string, string>
  /** Of another server than the first. */
  baseUrl?: string
}

/** A separate business, with an endpoint for all events. */
export type Place = {
  stage: Stage
  businessId: string
  apiKey: string
  endpointId: string
  /** Its endpoint's address at the receiver. */
  hookPath: string
  send(sent: Sent): Promise<Answer>
  /** As `send`. @throws Error unless the request succeeds. @returns the `data` of the response */
  ask(method: string, path: string, body?: unknown, as?: Sent['as']): Promise<Answer['body']>
  rows<T extends object>(read: (query: Query) => PromiseLike<readonly T[]>): Promise<readonly T[]>
  upstream(path: string): Promise<Answer['body']>
  control(method: string, path: string, body?: unknown): Promise<Answer>
}

let serial = 0
/** A word that no other story uses. */
export function fresh(stem: string): string {
  serial += 1
  return `${stem}-${serial}`
}

export async function openPlace(stage: Stage, hookStem = 'hook'): Promise<Place> {
  const { adminSecret, provider } = stage
  const hookPath = `/${fresh(hookStem)}`
  const place: Place = {
    stage,
    businessId: '',
    apiKey: '',
    endpointId: '',
    hookPath,
    send({ method, path, body, as = 'business', headers = {}, baseUrl = stage.baseUrl }) {
      const url = `${baseUrl}${path}`
      if (as === 'provider') {
        const raw = JSON.stringify(body)
        const signed = { 'x-webhook-signature': stage.signer.sign(raw), 'content-type': 'application/json' }
        return request(method, url, undefined, { raw, headers: { ...signed, ...headers } })
      }
      const secret = as === 'operator' ? adminSecret : place.apiKey
      return request(method, url, body, { headers: { authorization: `Bearer ${secret}`, ...headers } })
    },
    async ask(method, path, body, as = 'business') {
      const answer = await place.send({ method, path, body, as })
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body.data
    },
    rows: (read) => stage.db.read(read),
    async upstream(path) {
      const answer = await request('GET', `${provider.url}${path}`, undefined, {
        headers: { 'api-key': provider.apiKey },
      })
      if (answer.status !== 200) throw new Error(`the provider answers ${path} with ${answer.status}`)
      return answer.body
    },
    control: (method, path, body) => request(method, `${provider.controlUrl}${path}`, body),
  }
  place.businessId = (await place.ask('POST', '/v0/customers', { name: 'A business that crashes' }, 'operator')).id
  place.apiKey = (await place.ask('POST', `/v0/customers/${place.businessId}/api-keys`, {}, 'operator')).key
  const webhookUrl = stage.receiver.url(hookPath)
  place.endpointId = (await place.ask('POST', '/v0/webhook-endpoints', { webhookUrl })).id
  return place
}

/** Two dozen are approved at once, on a machine that may be busy with something else. */
const setUpMsMax = 60_000

export async function newUser(place: Place): Promise<string> {
  const externalUserId = fresh('user')
  await place.ask('POST', '/v0/end-users', { externalUserId, email: mailOf(externalUserId) })
  return externalUserId
}

export function mailOf(externalUserId: string): string {
  return `${externalUserId}@example.com`
}

/** @returns the signed agreement's id */
export async function acceptTerms(place: Place, externalUserId: string): Promise<string> {
  const { tosLink } = await place.ask('POST', `/v0/end-users/${externalUserId}/tos-link`)
  return (await place.control('POST', '/terms/accept', { link: tosLink })).body.signed_agreement_id
}

/** A body whose verdict is an approval, or `review`: none until somebody decides. */
export async function submission(place: Place, externalUserId: string): Promise<Record<string, unknown>> {
  return kycBody(await acceptTerms(place, externalUserId), externalUserId)
}

export async function approvedUser(place: Place): Promise<string> {
  const externalUserId = await newUser(place)
  const body = await submission(place, externalUserId)
  await place.ask('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body)
  await approved(place, externalUserId)
  return externalUserId
}

export async function approved(place: Place, externalUserId: string): Promise<void> {
  const isApproved = async () => {
    const { kycStatus, rails } = await place.ask('GET', `/v0/end-users/${externalUserId}`)
    return kycStatus === 'approved' && rails.usd === 'active' && rails.eur === 'active' && rails.mxn === 'active'
  }
  await until(`the approval of ${externalUserId}`, isApproved, setUpMsMax)
}

export function accountTerms(externalUserId: string): Record<string, unknown> {
  return { externalUserId, source: { currency: 'usd' }, destination: solanaWallet, developer_fee_percent: '0.5' }
}

export type OpenAccount = { externalUserId: string; id: string; customerId: string; upstreamId: string }

export async function openAccount(place: Place): Promise<OpenAccount> {
  const externalUserId = await approvedUser(place)
  const { id } = await place.ask('POST', '/v0/virtual-accounts', accountTerms(externalUserId))
  const [row] = await place.rows<{ upstreamId: string; customerId: string }>(
    (query) => query`
      select v.provider_virtual_account_id as upstream_id, u.provider_customer_id as customer_id
      from virtual_accounts v join end_users u on u.business_id = v.business_id and u.id = v.end_user_id where v.id = ${id}`,
  )
  if (!row) throw new Error('the account is not there')
  return { externalUserId, id, ...row }
}

export async function arrivedDeposit(place: Place, account: OpenAccount): Promise<string> {
  await place.control('POST', `/virtual_accounts/${account.upstreamId}/deposits`, { amount: '10.00' })
  return await until('the deposit', async () => {
    const [deposit] = await place.ask('GET', `/v0/virtual-accounts/${account.id}/deposits`)
    return deposit?.status === 'completed' && deposit.id
  })
}
