// A random story at the emulated provider: end-users whom it judges, accounts it changes, deposits with every outcome. The
// same story is played for several businesses, so that only the way its events reach us differs between them.

import fc from 'fast-check'
import { until } from './caller.ts'
import { kycBody } from './people.ts'
import type { World } from './world.ts'

const evm = ['0x52908400098527886E0F7030069857D2E4169EE7', '0x8617E340B3D01FA5F11F306F4090FD50E238070D']
const solana = ['7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE', '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T']
const destinations = [
  { payment_rail: 'solana', currency: 'usdc', address: solana[0] },
  { payment_rail: 'solana', currency: 'eurc', address: solana[1] },
  { payment_rail: 'ethereum', currency: 'usdc', address: evm[0] },
  { payment_rail: 'base', currency: 'usdc', address: evm[1] },
  { payment_rail: 'tron', currency: 'usdt', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
]
const destination = fc.constantFrom(...destinations)
const fee: fc.Arbitrary<string> = fc.constantFrom('0', '0.5', '1.25', '33.3333')
/** The fee in the last change of each story. */
export const closingFee = '77.7777'

/** Two who are approved, each with accounts, and one whom the provider still wants something of. */
export const beginnings = fc.record({
  accounts: fc.array(fc.record({ user: fc.nat(1), currency: fc.constantFrom('usd', 'eur'), destination, fee }), {
    minLength: 2,
    maxLength: 3,
  }),
  undecided: fc.constantFrom('+document', '+review', 'nothing'),
})
export type Beginning = typeof beginnings extends fc.Arbitrary<infer T> ? T : never

const verdict = fc.record({
  kind: fc.constant('verdict' as const),
  user: fc.nat(2),
  decision: fc.constantFrom(
    'approve',
    'approve',
    'reject',
    'review',
    'request_document',
    'request_questionnaire',
    'pause',
    'offboard',
    'restrict_deposits',
    'revoke_endorsement',
  ),
})
const deposit = fc.record({
  kind: fc.constant('deposit' as const),
  account: fc.nat(),
  cents: fc.integer({ min: 100, max: 5_000_000_00 }),
  outcome: fc.constantFrom(
    'completed',
    'scheduled',
    'in_review',
    'reviewed_completed',
    'reviewed_refunded',
    'refunded',
    'refunded_unlinked',
    'refund_failed',
    'microdeposit',
  ),
})
const advance = fc.record({
  kind: fc.constant('advance' as const),
  deposit: fc.nat(),
  to: fc.constantFrom('completed', 'refunded', 'refund_failed'),
})
const change = fc.record({
  kind: fc.constant('change' as const),
  account: fc.nat(),
  to: fc.oneof(
    fc.constantFrom('deactivate' as const, 'reactivate' as const),
    fc.record({ developer_fee_percent: fee }),
    fc.record({ destination }),
  ),
})
export const steps = fc.oneof(
  { weight: 4, arbitrary: verdict },
  { weight: 5, arbitrary: deposit },
  { weight: 3, arbitrary: advance },
  { weight: 3, arbitrary: change },
)
export type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never

/** One business that the story is played for. */
export type Player = {
  world: World
  users: { externalUserId: string; customer: string }[]
  accounts: { id: string; customer: string; providerId: string }[]
  /** The provider's ids, in the order of their arrival; those in review may be moved on. */
  deposits: string[]
  inReview: string[]
}

export async function newPlayer(world: World, undecided: Beginning['undecided']): Promise<Player> {
  const business = await world.otherBusiness()
  const { call } = business
  const own = { ...world, business }
  const users = []
  for (const mail of ['', '', undecided]) {
    const externalUserId = await own.business.user()
    if (mail === 'nothing') await submitTooLittle(own, externalUserId)
    else await own.business.submit(externalUserId, { mail })
    const { data } = (await call('GET', `/v0/end-users/${externalUserId}`)).body
    users.push({ externalUserId, customer: String(data.providerCustomerId) })
  }
  return { world: own, users, accounts: [], deposits: [], inReview: [] }
}

/** Neither terms nor tax number: the provider names both as missing. */
async function submitTooLittle(world: World, externalUserId: string): Promise<void> {
  const { identifying_information: _, ...body } = kycBody(crypto.randomUUID(), externalUserId)
  const answer = await world.business.call('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body)
  if (answer.status !== 200) throw new Error(`KYC was not taken: ${answer.text}`)
}

export async function openAccounts(world: World, player: Player, beginning: Beginning): Promise<void> {
  for (const { user, currency, destination: target, fee: percent } of beginning.accounts) {
    const { externalUserId, customer = '' } = player.users[user] ?? {}
    const answer = await player.world.business.call('POST', '/v0/virtual-accounts', {
      externalUserId,
      source: { currency },
      destination: target,
      developer_fee_percent: percent,
    })
    if (answer.status !== 200) throw new Error(`no account: ${answer.text}`)
    const known = new Set(player.accounts.map(({ providerId }) => providerId))
    const listed = await world.provider.ask('GET', `/customers/${customer}/virtual_accounts?limit=100`)
    const made = listed.body.data.find(({ id }: { id: string }) => !known.has(id))
    player.accounts.push({ id: answer.body.data.id, customer, providerId: made.id })
  }
}

/** Inapplicable steps (a deposit into a closed account) are refused by the provider, for each business alike. */
export async function play(world: World, player: Player, step: Step): Promise<void> {
  switch (step.kind) {
    case 'verdict': {
      const path = `/customers/${player.users[step.user]?.customer}/kyc`
      const answer = await world.provider.control('POST', path, { decision: step.decision })
      if (answer.status !== 200) throw new Error(`the verdict was not taken: ${answer.text}`)
      return
    }
    case 'deposit':
      return await deposits(world, player, step)
    case 'advance': {
      const id = player.inReview.splice(step.deposit % (player.inReview.length || 1), 1)[0]
      if (id !== undefined) await world.provider.control('POST', `/deposits/${id}/advance`, { to: step.to })
      return
    }
    case 'change': {
      const { customer, providerId } = pick(player.accounts, step.account)
      const path = `/customers/${customer}/virtual_accounts/${providerId}`
      const answer =
        typeof step.to === 'string'
          ? await world.provider.ask('POST', `${path}/${step.to}`)
          : await world.provider.ask('PUT', path, step.to)
      if (answer.status >= 300) throw new Error(`the change was not taken: ${answer.text}`)
    }
  }
}

async function deposits(world: World, player: Player, step: Extract<Step, { kind: 'deposit' }>): Promise<void> {
  const { providerId } = pick(player.accounts, step.account)
  const amount = `${Math.floor(step.cents / 100)}.${String(step.cents % 100).padStart(2, '0')}`
  const order = { amount, outcome: step.outcome, step_ms: 0 }
  const answer = await world.provider.control('POST', `/virtual_accounts/${providerId}/deposits`, order)
  if (answer.status === 409) return
  if (answer.status !== 200) throw new Error(`no deposit: ${answer.text}`)
  player.deposits.push(answer.body.deposit_id)
  if (step.outcome === 'in_review') player.inReview.push(answer.body.deposit_id)
}

function pick<T>(from: readonly T[], at: number): T {
  const picked = from[at % from.length]
  if (picked === undefined) throw new RangeError('there is nothing to pick from')
  return picked
}

/** Waits until the provider has finished its own pending tasks. */
export async function providerAtRest(world: World): Promise<void> {
  await until('the provider to come to rest', async () => {
    return (await world.provider.control('GET', '/state')).body.pending_tasks.count === 0
  })
}
