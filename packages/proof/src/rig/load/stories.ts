// The work of the businesses during a run: each end-user accepts the terms, is verified, gets accounts, changes them, and
// receives deposits, one step after another.

import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from '../chance.ts'
import type { Acknowledged, Notes } from '../ledger.ts'
import { member, type Row } from '../verdict/observed.ts'
import type { Business, Provider } from '../world.ts'
import { type Caller, complain, type Final, Stuck } from './caller.ts'
import { kycBody } from './kyc-body.ts'

export type Teller = {
  business: Business
  caller: Caller
  notes: Notes
  provider: Provider
  isOver: () => boolean
}

type Account = Extract<Acknowledged, { kind: 'account' }>

const pollMs = 100
const currencies = ['usd', 'eur', 'usd', 'mxn'] as const

/** Runs stories of one end-user after another until the run is over. The last request of each story gets its response. */
export async function tellStories(teller: Teller, name: string, chance: Chance): Promise<void> {
  for (let at = 0; !teller.isOver(); at++) {
    const externalUserId = `${teller.business.mark}-${name}-${at}`
    try {
      await tellStory(teller, externalUserId, chance)
    } catch (error) {
      if (error instanceof Over) return
      if (error instanceof Stuck) complain(teller.notes, `${externalUserId}: ${error.message}`, 'stuck')
      else throw error
    }
  }
}

class Over extends Error {}

async function tellStory(teller: Teller, externalUserId: string, chance: Chance): Promise<void> {
  const { business, caller, notes } = teller
  const step = (): void => {
    if (teller.isOver()) throw new Over()
  }
  const path = `/v0/end-users/${externalUserId}`
  const email = `${externalUserId}@example.com`
  const created = await caller.write(
    'POST',
    '/v0/end-users',
    { externalUserId, email, metadata: { mark: business.mark } },
    chance.oneIn(8) ? 'racing' : 'once',
  )
  // Its first try may have been carried out, and its response lost with its replica.
  const existed = !created.ok && created.code === 'end_user_already_exists' && created.tries > 1
  if (!created.ok && !existed) return complain(teller.notes, refusalOf('POST /v0/end-users', created))
  const user: Extract<Acknowledged, { kind: 'end-user' }> = {
    kind: 'end-user',
    business: business.index,
    id: created.ok ? String(created.data['id']) : null,
    externalUserId,
    isSubmitted: false,
  }
  notes.acknowledged.push(user)
  step()
  if (chance.oneIn(3)) await openAccount(teller, externalUserId, chance, true)
  step()
  if (!(await approve(teller, path, externalUserId, step))) return
  notes.acknowledged.push({ ...user, isSubmitted: true })
  const accounts = 1 + chance.below(2)
  for (let at = 0; at < accounts; at++) {
    step()
    const account = await openAccount(teller, externalUserId, chance, false)
    if (account) await useAccount(teller, account, path, chance, step)
  }
}

/** Has an end-user accept the terms and pass KYC. @returns whether every step was accepted */
export async function approve(teller: Teller, path: string, mail: string, step: () => void): Promise<boolean> {
  const { caller, notes } = teller
  const agreement = await acceptTerms(teller, path)
  step()
  const submitted = await caller.write('POST', `${path}/submit-kyc`, kycBody(agreement, mail))
  if (!submitted.ok) {
    complain(notes, refusalOf(`POST ${path}/submit-kyc`, submitted))
    return false
  }
  for (let isApproved = false; !isApproved; await delay(pollMs)) {
    step()
    const seen = await caller.get(path)
    if (!seen.ok) {
      complain(notes, refusalOf(`GET ${path}`, seen))
      return false
    }
    const rails = seen.data['rails'] as Row
    isApproved = seen.data['kycStatus'] === 'approved' && currencies.every((currency) => rails[currency] === 'active')
  }
  return true
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** @param bytes 32, for an address at Solana that nobody else has */
function base58(bytes: Buffer): string {
  let text = ''
  for (let rest = BigInt(`0x${bytes.toString('hex')}`); rest > 0n; rest /= 58n)
    text = `${base58Alphabet[Number(rest % 58n)]}${text}`
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return `${'1'.repeat(Math.max(0, zeros))}${text}`
}

async function acceptTerms({ caller, provider, notes }: Teller, path: string): Promise<string> {
  const link = await caller.write('POST', `${path}/tos-link`)
  if (!link.ok) {
    complain(notes, refusalOf(`POST ${path}/tos-link`, link))
    throw new Over()
  }
  const accepted = await provider.ask('POST', '/_sandbox/terms/accept', { link: link.data['tosLink'] })
  // If the response of an accepted page is lost, its ID is unknown. The emulator accepts any agreement in this form.
  return String(accepted.body['signed_agreement_id'] ?? randomUUID())
}

export async function openAccount(
  { business, caller, notes }: Teller,
  externalUserId: string,
  chance: Chance,
  wait: boolean,
): Promise<Account | null> {
  const address = base58(randomBytes(32))
  const fee = `0.${1 + chance.below(9)}`
  notes.acknowledged.push({ kind: 'request for an account', business: business.index, externalUserId, address })
  const body = {
    externalUserId,
    source: { currency: chance.pick(currencies) },
    destination: { payment_rail: 'solana', currency: 'usdc', address },
    developer_fee_percent: fee,
    ...(wait ? { onPendingKyc: 'wait' } : {}),
  }
  const made = await caller.write('POST', '/v0/virtual-accounts', body, chance.oneIn(8) ? 'racing' : 'once')
  if (!made.ok) {
    complain(notes, refusalOf('POST /v0/virtual-accounts', made))
    return null
  }
  const { id, status } = made.data as { id: string; status: Account['status'] }
  const account: Account = { kind: 'account', business: business.index, id, address, fee, status }
  notes.acknowledged.push(account)
  return account
}

async function useAccount(
  teller: Teller,
  opened: Account,
  userPath: string,
  chance: Chance,
  step: () => void,
): Promise<void> {
  let account = opened
  const path = `/v0/virtual-accounts/${account.id}`
  const change = async (method: 'POST' | 'PATCH', at: string, body?: object): Promise<void> => {
    step()
    const changed = await teller.caller.write(method, at, body)
    if (!changed.ok) return complain(teller.notes, refusalOf(`${method} ${at}`, changed))
    account = {
      ...account,
      status: changed.data['status'] as Account['status'],
      fee: String(changed.data['developerFeePercent']),
    }
    teller.notes.acknowledged.push(account)
  }
  for (let deposits = chance.below(3); deposits > 0; deposits--) {
    step()
    await sendDeposit(teller, account, userPath, chance)
  }
  if (chance.oneIn(2)) await change('PATCH', path, { developer_fee_percent: `1.${chance.below(100)}` })
  if (chance.oneIn(2)) await change('POST', `${path}/deactivate`)
  if (account.status === 'deactivated' && chance.oneIn(2)) await change('POST', `${path}/reactivate`)
}

/** A bank is not affected by faults between Causeway and the provider. */
async function sendDeposit(teller: Teller, account: Account, userPath: string, chance: Chance): Promise<void> {
  const { provider, caller } = teller
  const user = await caller.get(userPath)
  if (!user.ok) return complain(teller.notes, refusalOf(`GET ${userPath}`, user))
  const theirs = await provider.ask(
    'GET',
    `/v0/customers/${user.data['providerCustomerId']}/virtual_accounts?limit=100`,
  )
  const found = (theirs.body['data'] as Row[]).find(
    (made) => member(made['destination'], 'address') === account.address,
  )
  if (!found)
    return complain(teller.notes, `account ${account.id} (${account.address}) was acknowledged; the provider has none`)
  const cents = chance.pick(['00', '17', '99', '43', '44', '45'])
  const amount = `${60 + chance.below(5_000)}.${cents}`
  await provider.ask('POST', `/_sandbox/virtual_accounts/${found['id']}/deposits`, { amount })
}

export function refusalOf(what: string, answer: Extract<Final, { ok: false }>): string {
  return `${what} was answered ${answer.status} ${answer.code} after ${answer.tries} tries`
}
