// End-users in the states that the pages of home and of end-users tell apart.

import type { Business } from '../../server/test/business.ts'
import type { ConsoleWorld, PagePath } from './console-world.ts'

export type People = { approved: string; rejected: string; asked: string; fresh: string }

const made = new WeakMap<ConsoleWorld, Promise<People>>()

/** The same for all pages of a world: the latest are the first of the list. */
export const people = (console: ConsoleWorld): Promise<People> => {
  const known = made.get(console) ?? makePeople(console)
  made.set(console, known)
  return known
}

const at = (name: string, pathOf: (who: People) => string): PagePath => ({
  name,
  as: 'business',
  prepare: async (console) => pathOf(await people(console)),
})

export const peoplePaths: readonly PagePath[] = [
  at('home', () => '/'),
  at('end-users', () => '/end-users'),
  at('end-users-none', () => '/end-users?q=nobody'),
  at('end-user', ({ approved }) => `/end-users/${approved}`),
  at('end-user-rejected', ({ rejected }) => `/end-users/${rejected}`),
  at('end-user-asked', ({ asked }) => `/end-users/${asked}`),
  at('end-user-fresh', ({ fresh }) => `/end-users/${fresh}`),
]

async function linked({ call }: Business, externalUserId: string, rails: string[]): Promise<void> {
  const answer = await call('POST', `/v0/end-users/${externalUserId}/onboarding-links`, { rails })
  if (answer.status !== 200) throw new Error(answer.text)
}

async function makePeople({ world }: ConsoleWorld): Promise<People> {
  const create = async (externalUserId: string, body: Record<string, unknown> = {}): Promise<string> => {
    const answer = await world.business.call('POST', '/v0/end-users', { externalUserId, ...body })
    if (answer.status !== 200) throw new Error(answer.text)
    return externalUserId
  }
  const fresh = await create('globex-ltd', { type: 'business', metadata: { plan: 'trial' } })
  const rejected = await create('user-1044', { email: 'user-1044@example.org' })
  await world.business.submit(rejected, { mail: '+reject' })
  await world.business.reached(rejected, 'rejected')
  for (const rails of [['usd'], ['usd', 'eur']]) await linked(world.business, rejected, rails) // the second ends the first
  const asked = await create('user-1045')
  await world.business.submit(asked, { mail: '+document' })
  await world.business.reached(asked, 'action_required')
  const approved = await create('ada-lovelace', {
    email: 'ada@example.org',
    metadata: { plan: 'gold', team: 'engines' },
  })
  await world.business.submit(approved)
  await world.business.reached(approved, 'approved')
  const account = await world.business.account(approved)
  const euros = await world.business.account(approved, { source: { currency: 'eur' } })
  await world.business.deposit(account['id'] ?? '', { amount: '1250.00' }, 'completed')
  await world.business.deposit(euros['id'] ?? '', { amount: '480.50' }, 'completed')
  await world.business.deposit(account['id'] ?? '', { amount: '9900.00', outcome: 'in_review' }, 'in_review')
  return { approved, rejected, asked, fresh }
}
