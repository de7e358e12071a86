// Accounts and deposits in several states, made once for each world.

import { accountRequest, type DepositOrder } from '../../server/test/business.ts'
import type { ConsoleWorld, PagePath } from './console-world.ts'

export const ethereumWallet = {
  payment_rail: 'ethereum',
  currency: 'usdc',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
}

export type MoneyWorld = {
  user: string
  /** Ids. `dollars` takes deposits, `euros` has a new destination, which waits where the world has a delay. */
  dollars: string
  euros: string
  closed: string
  waiting: string
  completed: string
  inReview: string
  refunded: string
}

const made = new WeakMap<ConsoleWorld, Promise<MoneyWorld>>()

export function moneyWorld(of: ConsoleWorld): Promise<MoneyWorld> {
  const before = made.get(of) ?? makeMoney(of)
  made.set(of, before)
  return before
}

async function makeMoney({ world }: ConsoleWorld): Promise<MoneyWorld> {
  const [user, newcomer] = [await world.business.user('approved'), await world.business.user()]
  const open = async (currency: string) => (await world.business.account(user, { source: { currency } }))['id'] ?? ''
  const [dollars, euros, closed] = [await open('usd'), await open('eur'), await open('mxn')]
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await world.business.call(method, path, body)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
    return answer.body.data
  }
  const { id: waiting } = await call('POST', '/v0/virtual-accounts', accountRequest(newcomer, { onPendingKyc: 'wait' }))
  await call('PATCH', `/v0/virtual-accounts/${dollars}`, { metadata: { plan: 'gold', team: 'treasury' } })
  await call('PATCH', `/v0/virtual-accounts/${euros}`, { destination: ethereumWallet })
  await call('POST', `/v0/virtual-accounts/${closed}/deactivate`)
  const deposit = async (account: string, order: DepositOrder, status: string) =>
    (await world.business.deposit(account, order, status)).id
  return {
    user,
    dollars,
    euros,
    closed,
    waiting,
    completed: await deposit(dollars, { amount: '1000.00', senderName: 'Charles Babbage' }, 'completed'),
    inReview: await deposit(euros, { amount: '20000.50', outcome: 'in_review' }, 'in_review'),
    refunded: await deposit(dollars, { amount: '75.25', outcome: 'refunded' }, 'refunded'),
  }
}

async function suspendedAccount({ world }: ConsoleWorld): Promise<string> {
  const externalUserId = await world.business.user('approved')
  const { id = '' } = await world.business.account(externalUserId)
  await world.business.call('POST', '/v0/sandbox/kyc-decisions', { externalUserId, decision: 'restrict_deposits' })
  await world.business.accountReached(id, 'suspended')
  return id
}

const at = (name: string, pathOf: (money: MoneyWorld) => string): PagePath => ({
  name,
  as: 'business',
  prepare: async (world) => pathOf(await moneyWorld(world)),
})

/** Query with which `causeway login --browser` opens its confirmation page. */
const asked = `port=40123&state=cli_${'4f2a91c0'.repeat(4)}&key=${'M'.repeat(392)}&device=ada-laptop`

export const moneyPaths: readonly PagePath[] = [
  at('accounts', () => '/accounts'),
  at('accounts-none-found', () => '/accounts?label=plan%3Dlead'),
  at('accounts-one', ({ dollars }) => `/accounts/${dollars}`),
  at('accounts-one-changing', ({ euros }) => `/accounts/${euros}`),
  at('accounts-one-opening', ({ waiting }) => `/accounts/${waiting}`),
  {
    name: 'accounts-one-suspended',
    as: 'business',
    prepare: async (world) => `/accounts/${await suspendedAccount(world)}`,
  },
  at('deposits', () => '/deposits'),
  at('deposits-one', ({ completed }) => `/deposits/${completed}`),
  at('deposits-one-refunded', ({ refunded }) => `/deposits/${refunded}`),
  at('deposits-report', () => '/deposits/report'),
  at('cli-login', () => `/cli-login?${asked}`),
  at('cli-login-none', () => '/cli-login'),
]
