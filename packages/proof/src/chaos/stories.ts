// What the businesses do during a chaos run: each of its end-users accepts terms, is verified, gets accounts, changes them,
// and is sent deposits, one step after another. Beside that each business pulls its events.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../../../server/src/platform/values/json.ts'
import { kycBody } from '../../../server/test/people.ts'
import type { ChaosProvider } from '../relay-world/provider.ts'
import type { Chance } from '../rig/chance.ts'
import { type Caller, type Final, pathOf, Stuck } from './caller.ts'
import type { AccountPromise, Ledger } from './ledger.ts'
import type { ChaosBusiness } from './world.ts'

export type Teller = {
  business: ChaosBusiness
  caller: Caller
  ledger: Ledger
  provider: ChaosProvider
  /** A final answer that nobody should get. */
  complain: (text: string) => void
  isOver: () => boolean
}

const pollMs = 100
const currencies = ['usd', 'eur', 'usd', 'mxn'] as const

/** Tells stories of one end-user after another until the run is over. The last request of each gets its answer. */
export async function tellStories(teller: Teller, name: string, chance: Chance): Promise<void> {
  for (let at = 0; !teller.isOver(); at++) {
    const externalUserId = `${teller.business.mark}-${name}-${at}`
    try {
      await tellStory(teller, externalUserId, chance)
    } catch (error) {
      if (error instanceof Over) return
      if (error instanceof Stuck) teller.complain(`${externalUserId}: ${error.message}`)
      else throw error
    }
  }
}

class Over extends Error {}

async function tellStory(teller: Teller, externalUserId: string, chance: Chance): Promise<void> {
  const { business, caller, ledger } = teller
  const step = (): void => {
    if (teller.isOver()) throw new Over()
  }
  const path = `/v0/end-users/${externalUserId}`
  const email = `${externalUserId}@example.com`
  const created = await caller.write(
    'POST',
    '/v0/end-users',
    { externalUserId, email, metadata: { mark: business.mark } },
    chance.oneIn(8),
  )
  // Its first try may have been carried out and its answer lost with its replica: a repeat is told so.
  const existed = !created.ok && created.code === 'end_user_already_exists' && created.tries > 1
  if (!created.ok && !existed) return teller.complain(refusalOf('POST /v0/end-users', created))
  const user = {
    business: business.index,
    id: created.ok ? String(created.data['id']) : null,
    externalUserId,
    isSubmitted: false,
  }
  ledger.users.push(user)
  step()
  if (chance.oneIn(3)) await openAccount(teller, externalUserId, chance, true)
  step()
  const agreement = await acceptTerms(teller, path)
  step()
  const submitted = await caller.write('POST', `${path}/submit-kyc`, kycBody(agreement, externalUserId))
  if (!submitted.ok) return teller.complain(refusalOf(`POST ${path}/submit-kyc`, submitted))
  user.isSubmitted = true
  for (let isApproved = false; !isApproved; await delay(pollMs)) {
    step()
    const seen = await caller.get(path)
    if (!seen.ok) return teller.complain(refusalOf(`GET ${path}`, seen))
    const rails = seen.data['rails'] as JsonObject
    isApproved = seen.data['kycStatus'] === 'approved' && currencies.every((currency) => rails[currency] === 'active')
  }
  const accounts = 1 + chance.below(2)
  for (let at = 0; at < accounts; at++) {
    step()
    const account = await openAccount(teller, externalUserId, chance, false)
    if (account) await useAccount(teller, account, path, chance, step)
  }
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Of 32 bytes: an address at Solana that nobody else has. */
function base58(bytes: Buffer): string {
  let text = ''
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); rest > 0n; rest /= 58n)
    text = `${base58Alphabet[Number(rest % 58n)]}${text}`
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return `${'1'.repeat(Math.max(0, zeros))}${text}`
}

async function acceptTerms({ caller, provider, complain }: Teller, path: string): Promise<string> {
  const link = await caller.write('POST', `${path}/tos-link`)
  if (!link.ok) {
    complain(refusalOf(`POST ${path}/tos-link`, link))
    throw new Over()
  }
  const accepted = await provider.ask('POST', '/_sandbox/terms/accept', { link: link.data['tosLink'] })
  // A page that was accepted and whose answer was lost is gone; the emulator takes any agreement of this form.
  return String(accepted.body['signed_agreement_id'] ?? randomUUID())
}

async function openAccount(
  { business, caller, ledger, complain }: Teller,
  externalUserId: string,
  chance: Chance,
  wait: boolean,
): Promise<AccountPromise | null> {
  const address = base58(randomBytes(32))
  const fee = `0.${1 + chance.below(9)}`
  ledger.asked.set(address, { business: business.index, externalUserId })
  const body = {
    externalUserId,
    source: { currency: chance.pick(currencies) },
    destination: { payment_rail: 'solana', currency: 'usdc', address },
    developer_fee_percent: fee,
    ...(wait ? { onPendingKyc: 'wait' } : {}),
  }
  const made = await caller.write('POST', '/v0/virtual-accounts', body, chance.oneIn(8))
  if (!made.ok) {
    complain(refusalOf('POST /v0/virtual-accounts', made))
    return null
  }
  const { id, status } = made.data as { id: string; status: AccountPromise['status'] }
  const promise: AccountPromise = { business: business.index, id, address, fee, status }
  ledger.accounts.push(promise)
  return promise
}

async function useAccount(
  teller: Teller,
  account: AccountPromise,
  userPath: string,
  chance: Chance,
  step: () => void,
): Promise<void> {
  const path = `/v0/virtual-accounts/${account.id}`
  const change = async (method: 'POST' | 'PATCH', at: string, body?: object): Promise<void> => {
    step()
    const changed = await teller.caller.write(method, at, body)
    if (!changed.ok) return teller.complain(refusalOf(`${method} ${at}`, changed))
    account.status = changed.data['status'] as AccountPromise['status']
    account.fee = String(changed.data['developerFeePercent'])
  }
  for (let deposits = chance.below(3); deposits > 0; deposits--) {
    step()
    await sendDeposit(teller, account, userPath, chance)
  }
  if (chance.oneIn(2)) await change('PATCH', path, { developer_fee_percent: `1.${chance.below(100)}` })
  if (chance.oneIn(2)) await change('POST', `${path}/deactivate`)
  if (account.status === 'deactivated' && chance.oneIn(2)) await change('POST', `${path}/reactivate`)
}

/** A bank knows neither us nor faults between us and the provider. */
async function sendDeposit(teller: Teller, account: AccountPromise, userPath: string, chance: Chance): Promise<void> {
  const { provider, caller } = teller
  const user = await caller.get(userPath)
  if (!user.ok) return teller.complain(refusalOf(`GET ${userPath}`, user))
  const theirs = await provider.ask(
    'GET',
    `/v0/customers/${user.data['providerCustomerId']}/virtual_accounts?limit=100`,
  )
  const found = (theirs.body['data'] as JsonObject[]).find(
    (made) => (made['destination'] as JsonObject)['address'] === account.address,
  )
  if (!found)
    return teller.complain(`account ${account.id} (${account.address}) was acknowledged; the provider has none`)
  const cents = chance.pick(['00', '17', '99', '43', '44', '45'])
  const amount = `${60 + chance.below(5_000)}.${cents}`
  await provider.ask('POST', `/_sandbox/virtual_accounts/${found['id']}/deposits`, { amount })
}

function refusalOf(what: string, answer: Extract<Final, { ok: false }>): string {
  return `${what} was answered ${answer.status} ${answer.code} after ${answer.tries} tries`
}

/** Pulls a business's events, each once, from the first on, until `isOver` and there are no more. */
export async function pullEvents({ business, caller, ledger, isOver, complain }: Teller): Promise<void> {
  const pulled: { id: string; position: number }[] = []
  ledger.pulled.set(business.index, pulled)
  let next = '/v0/events?wait=2&limit=100'
  try {
    for (;;) {
      const wasOver = isOver()
      const page = await caller.get(next)
      if (!page.ok) return complain(refusalOf(`GET ${next}`, page))
      const events = page.data as unknown as { id: string; position: number }[]
      pulled.push(...events.map(({ id, position }) => ({ id, position })))
      next = (page.link === null ? undefined : pathOf(page.link)) ?? next
      if (wasOver && events.length === 0) return
    }
  } catch (error) {
    if (!(error instanceof Stuck)) throw error
    complain(error.message)
  }
}
