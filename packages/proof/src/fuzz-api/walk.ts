// The way an integrator goes, so that every story knows objects of each kind: businesses, an approved end-user, an account, a
// deposit, events and their deliveries, replays. Every step must go well: what chance reaches in a few stories of a hundred,
// and a run must reach, is a step of it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from '../../../server/test/caller.ts'
import type { FuzzWorld } from '../fuzz/world.ts'
import { identityData } from './requests/bodies.ts'
import type { Business, Noun } from './requests/known-objects.ts'
import type { RequestPlace } from './requests/parts.ts'
import { type Ask, type Step, stepOf } from './steps.ts'

/** The one whose story it is, and the one whose objects it must not see. */
export async function openBusinesses(ask: Ask, adminSecret: string): Promise<[Business, Business]> {
  const open = async (): Promise<Business> => {
    const customer = dataOf(
      await ask(stepOf('createCustomer', { body: { name: 'A business of the fuzz' }, credential: adminSecret })),
    ).id
    const keyOf = async (body: object) =>
      dataOf(await ask(stepOf('issueCustomerApiKey', { names: customer, body, credential: adminSecret })))
    const whole = await keyOf({})
    const weak = await keyOf({ scopes: ['events:read'] })
    const brief = await keyOf({ expiresAt: new Date(Date.now() + 1_000).toISOString() })
    return {
      customer,
      key: whole.key,
      weakKey: weak.key,
      expiring: { key: brief.key, atMs: performance.now() + 4_000 },
      deadKeys: [],
      spareKeys: [],
      reserved: new Set([whole.id, weak.id]),
      living: new Map(),
      gone: new Map(),
    }
  }
  return [await open(), await open()]
}

/** @param far as far as a deposit that has been paid out; otherwise to an end-user with accepted terms */
export async function walkThrough(ask: Ask, place: RequestPlace, world: FuzzWorld, far: boolean): Promise<void> {
  const { business, making } = place
  const credential = business.key
  const step = (id: string, more: Omit<Step, 'credential'> = {}) => ask(stepOf(id, { ...more, credential }), business)
  await step('setWebhookUrl', { body: { webhookUrl: place.inboxUrl } })
  const names = `walker-${making.draw.below(1e9)}-${business.customer.slice(-6)}`
  await step('createEndUser', { body: { externalUserId: names, email: `${names}@example.com` } })
  const link = dataOf(await step('createTosLink', { names }))
  const agreement = await acceptTerms(world, link.tosLink)
  await step('listApiKeys')
  await step('getWebhookUrl')
  if (!far) return
  const identity = { ...identityData(place, agreement), email: `${names}@example.com` }
  await step('submitKyc', { names, body: identity })
  await until(async () => {
    await step('decideKyc', { body: { externalUserId: names, decision: 'approve' } })
    return dataOf(await step('getEndUser', { names })).rails['usd'] === 'active'
  })
  const account = dataOf(
    await step('createVirtualAccount', {
      body: { externalUserId: names, source: { currency: 'usd' }, destination: wallet },
    }),
  ).id
  await step('updateVirtualAccount', { names: account, body: { developer_fee_percent: '1.25' } })
  await step('getDepositInstructions', { names: account })
  await step('deactivateVirtualAccount', { names: account })
  await step('reactivateVirtualAccount', { names: account })
  await step('simulateDeposit', { body: { virtualAccountId: account, amount: '30.00' } })
  await step('simulateDeposit', { body: { virtualAccountId: account, amount: '30.42' } })
  await until(async () => listOf(await step('listDeposits')).length >= 2)
  const deposit = (await waitingDeposit(step)) ?? ''
  await step('getDeposit', { names: deposit })
  await step('listDepositsOfVirtualAccount', { names: account })
  await step('advanceDeposit', { names: deposit, body: { to: 'completed' } })
  const event = await until(async () => listOf(await step('listEvents', { query: '?limit=5' }))[0]?.id)
  const delivery = await until(async () => listOf(await step('listDeliveriesOfEvent', { names: event }))[0]?.id)
  await step('retryDelivery', { names: delivery })
  await step('updateWebhookEndpoint', {
    names: only(business, 'webhookEndpoint'),
    body: { webhookUrl: place.inboxUrl },
  })
  await step('startReplay', {
    names: only(business, 'webhookEndpoint'),
    body: {
      from: new Date(Date.now() - 600_000).toISOString(),
      to: new Date(Date.now() + 1_000).toISOString(),
      status: 'all',
    },
  })
}

const wallet = { payment_rail: 'solana', currency: 'usdc', address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE' }

async function waitingDeposit(
  step: (id: string, more: { query: string }) => Promise<Answer | null>,
): Promise<string | undefined> {
  for (let tries = 0; tries < 100; tries++) {
    const { id } = listOf(await step('listDeposits', { query: '?status=in_review' }))[0] ?? {}
    if (id) return id
    await delay(50)
  }
  return undefined
}

const only = (business: Business, noun: Noun): string => business.living.get(noun)?.[0] ?? ''

async function acceptTerms(world: FuzzWorld, tosLink: string): Promise<string> {
  const response = await fetch(`${world.sandboxUrl}/_sandbox/terms/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: tosLink }),
  })
  return ((await response.json()) as { signed_agreement_id: string }).signed_agreement_id
}

/** As far as a walk looks into it; its form was judged already. */
type Told = { id: string; key: string; tosLink: string; rails: Record<string, string> }

function dataOf(answer: Answer | null): Told {
  if (answer?.status !== 200) throw new Error(`a walk did not go well: ${answer?.text ?? 'no answer'}`)
  return answer.body.data
}

function listOf(answer: Answer | null): Told[] {
  dataOf(answer)
  return answer?.body.data
}

const waitMsMax = 90_000

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + waitMsMax
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error('what a walk waits for did not come')
    await delay(100)
  }
}
