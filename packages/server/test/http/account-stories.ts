// Short words for tests of accounts and deposits: end-users in every state of approval, requests, what the emulator holds,
// and faults of its wire that meet one end-user only.

import { acceptTerms, kycBody, newUser, solanaWallet, type TestWorld, until } from '../test-world.ts'

export type AccountRequest = {
  externalUserId: string
  source: { currency: string }
  destination: Record<string, unknown>
  developer_fee_percent?: unknown
  metadata?: Record<string, string>
  onPendingKyc?: string
}

export function accountRequest(externalUserId: string, changes: Partial<AccountRequest> = {}): AccountRequest {
  return { externalUserId, source: { currency: 'usd' }, destination: solanaWallet, ...changes }
}

/** Submits KYC. `mail` decides the emulator's verdict by its suffix; `endorsements` are all that is asked for. */
export async function submittedUser(
  world: TestWorld,
  options: { mail?: string; endorsements?: string[] } = {},
): Promise<string> {
  const externalUserId = await newUser(world)
  await submit(world, externalUserId, options)
  return externalUserId
}

export async function submit(
  world: TestWorld,
  externalUserId: string,
  options: { mail?: string; endorsements?: string[] } = {},
): Promise<void> {
  const agreement = await acceptTerms(world, externalUserId)
  const { endorsements } = options
  const body = kycBody(agreement, `${externalUserId}${options.mail ?? ''}`)
  const path = `/v0/end-users/${externalUserId}/submit-kyc`
  const answer = await world.call('POST', path, endorsements ? { ...body, endorsements } : body)
  if (answer.status !== 200) throw new Error(`KYC was not taken: ${answer.text}`)
}

/** Waits until the end-user's status is this. @returns the end-user */
export async function reached(world: TestWorld, externalUserId: string, kycStatus: string) {
  return await until(`${kycStatus} of ${externalUserId}`, async () => {
    const { data } = (await world.call('GET', `/v0/end-users/${externalUserId}`)).body
    const undecided = kycStatus === 'approved' && Object.values(data.rails).includes('pending')
    return data.kycStatus === kycStatus && !undecided && data
  })
}

/** Of this end-user, newest first. */
export async function accountsOf(world: TestWorld, externalUserId: string): Promise<Record<string, string>[]> {
  return (await world.call('GET', `/v0/virtual-accounts?externalUserId=${externalUserId}`)).body.data
}

export async function accountReached(world: TestWorld, id: string, status: string): Promise<Record<string, string>> {
  return await until(`${status} of ${id}`, async () => {
    const { data } = (await world.call('GET', `/v0/virtual-accounts/${id}`)).body
    return data.status === status && data
  })
}

type UpstreamAccount = {
  id: string
  status: string
  created_at: string
  developer_fee_percent: string
  destination: Record<string, string>
}

export async function customerOf(world: TestWorld, externalUserId: string): Promise<string> {
  return (await world.call('GET', `/v0/end-users/${externalUserId}`)).body.data.providerCustomerId
}

/** The accounts that the emulator holds for this end-user: read there, not from us. */
export async function upstreamAccounts(world: TestWorld, externalUserId: string): Promise<UpstreamAccount[]> {
  const customer = await customerOf(world, externalUserId)
  const response = await fetch(`${world.facts.providerUrl}/customers/${customer}/virtual_accounts`, {
    headers: { 'api-key': world.facts.providerApiKey },
  })
  return ((await response.json()) as { data: UpstreamAccount[] }).data
}

export type Fault = {
  mode: string
  method?: string
  status?: number
  delay_ms?: number
  times?: number
  body?: unknown
}

/** The next writes for this end-user's accounts go wrong at the provider. `under`: the rest of the path, as a pattern. */
export async function breakAccounts(world: TestWorld, externalUserId: string, fault: Fault, under = ''): Promise<void> {
  const path = `^/v0/customers/${await customerOf(world, externalUserId)}/virtual_accounts${under}$`
  // The write that is meant, and none of the reads that the server makes of itself meanwhile.
  const method = under.startsWith('/') && !under.endsWith('activate') ? 'PUT' : 'POST'
  const answer = await world.control('POST', '/faults', { path, method, ...fault })
  if (answer.status !== 200) throw new Error(answer.text)
}

/** Events of this type about this object, oldest first. Of an erased object none. */
export async function eventsAbout(world: TestWorld, type: string, objectId: string) {
  const { data } = (await world.call('GET', `/v0/events?eventType=${type}&limit=100`)).body
  return data.filter((event: { payload: { data?: { id: string } } }) => event.payload.data?.id === objectId).reverse()
}

export type Deposit = Record<string, unknown> & { id: string; status: string }

/** Makes a deposit arrive and waits until it has this status. */
export async function depositReached(
  world: TestWorld,
  accountId: string,
  order: { amount: string; outcome?: string; paymentRail?: string; senderName?: string },
  status: string,
): Promise<Deposit> {
  const path = `/v0/virtual-accounts/${accountId}/deposits`
  const before = new Set((await depositsAt(world, path)).map(({ id }) => id))
  const made = await world.call('POST', '/v0/sandbox/deposits', { virtualAccountId: accountId, ...order })
  if (made.status !== 200) throw new Error(`no deposit: ${made.text}`)
  return await until(`a deposit that is ${status}`, async () =>
    (await depositsAt(world, path)).find((row) => !before.has(row.id) && row.status === status),
  )
}

async function depositsAt(world: TestWorld, path: string): Promise<Deposit[]> {
  return (await world.call('GET', `${path}?limit=100`)).body.data
}

/** Waits until a request holds this Idempotency-Key. */
export async function keyHeld(world: TestWorld, key: string): Promise<void> {
  await until(`a request that holds ${key}`, async () => {
    const rows = await world.server.deps.db.read((query) => query`select 1 from idempotency_keys where key = ${key}`)
    return rows.length > 0
  })
}
