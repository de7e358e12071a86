// The way an integrator goes, so that generated requests can name objects of each kind: two businesses, each with an approved
// end-user, an account, a deposit, events, deliveries and replays. `call` checks every response against openapi.json.

import { nounsOf } from '../../../server/src/platform/http/operation.ts'
import { type Business, businessOf } from '../../../server/test/business.ts'
import { callerOf, dataOf, operations } from '../../../server/test/caller.ts'
import { heldEvent } from '../../../server/test/http/held-events.ts'
import { absentNames, bodyOf, type Names, pathOf, realNames } from '../../../server/test/http/operation-matrix.ts'
import { kycBody } from '../../../server/test/people.ts'
import { providerOf } from '../../../server/test/provider.ts'
import type { FuzzWorld } from './world.ts'

export type Walked = {
  inboxUrl: string
  business: Business
  names: Names
  /** Objects that no other request needs. */
  spare: Names
  heldEvent: string
  /** In review. */
  openDeposit: string
  /** Another key than `spare` has: two operations delete one. */
  spareKey: string
  weakKey: string
  deadKeys: string[]
  /** IDs of the keys that the run uses. */
  keyIds: string[]
}

export async function walk({ facts, sandboxUrl, inboxUrl }: FuzzWorld): Promise<Walked> {
  const operator = callerOf(facts.baseUrl, facts.adminSecret)
  const id = dataOf(await operator.call('POST', '/v0/customers', { name: 'A business of the fuzz' })).id
  const issue = async (body: object): Promise<{ id: string; key: string }> =>
    dataOf(await operator.call('POST', `/v0/customers/${id}/api-keys`, body))
  const [whole, weak, ended] = [await issue({}), await issue({ scopes: ['events:read'] }), await issue({})]
  const expired = await issue({ expiresAt: new Date(Date.now() + 1_000).toISOString() })
  await operator.call('DELETE', `/v0/customers/${id}/api-keys/${ended.id}`)
  const provider = providerOf({ url: sandboxUrl, apiKey: '', stop: async () => {} }, async () => '')
  const business = businessOf({ url: facts.baseUrl, id, apiKey: whole.key, provider })
  await business.call('PUT', '/v0/webhook-url', { webhookUrl: inboxUrl })
  const names = await realNames({ business })
  const create = async (path: string, body: object): Promise<string> =>
    dataOf(await business.call('POST', path, body)).id
  const spare = {
    ...names,
    externalUserId: await business.user(),
    apiKey: (await issue({})).id,
    webhookEndpoint: await create('/v0/webhook-endpoints', { webhookUrl: inboxUrl }),
    alertChannel: await create('/v0/alert-channels', { type: 'slack', url: inboxUrl }),
    consoleLink: await create('/v0/console-links', { scopes: ['events:read'] }),
    onboardingLink: await create(`/v0/end-users/${await business.user()}/onboarding-links`, {}),
  }
  const held = (await heldEvent({ business, operator })).id
  const spareKey = (await issue({})).id
  const openDeposit = (await business.deposit(names.account, { amount: '30.42' }, 'in_review')).id
  const [deadKeys, keyIds] = [
    [ended.key, expired.key],
    [whole.id, weak.id],
  ]
  return {
    inboxUrl,
    business,
    names,
    spare,
    ...{ heldEvent: held, openDeposit, spareKey },
    weakKey: weak.key,
    deadKeys,
    keyIds,
  }
}

/** Bodies that would end the world, or slow it down, if they were left to chance. */
const harmless = {
  addSandboxFault: { path: '^/v0/nothing$', mode: 'status' },
  configureSandboxInbox: { respondWith: 200, delayMs: 0, failNext: 0 },
  moveSandboxClock: { advanceSeconds: 1 },
  updateCustomer: { status: 'active' },
}

/** Facts about this API for hooks.py. `{fresh}` is replaced by a text that no request had before. */
export function factsOf(own: Walked, foreign: Walked) {
  const bodies = {
    ...Object.fromEntries(operations.filter(({ body }) => body).map((one) => [one.id, bodyOf(one, own.names)])),
    createEndUser: { externalUserId: 'fuzz-{fresh}', email: '{fresh}@example.com' },
    submitKyc: kycBody(null, '{fresh}'),
    advanceDeposit: { to: 'completed' }, // a review has no automatic next step
    setWebhookUrl: { webhookUrl: own.inboxUrl },
    setCustomerWebhookUrl: { webhookUrl: own.inboxUrl },
    updateWebhookEndpoint: { webhookUrl: own.inboxUrl },
    ...harmless,
  }
  const queries = operations.map((one) => {
    const [, query] = pathOf(one, own.names).split('?')
    return [one.id, Object.fromEntries(new URLSearchParams(query))]
  })
  const held = { id: own.heldEvent }
  const namesOfFew = {
    '/v0/operator/events/{id}': held,
    '/v0/operator/events/{id}/retry': held,
    '/v0/sandbox/deposits/{id}/advance': { id: own.openDeposit },
  }
  const ofCustomer = { customerId: own.business.id, id: own.spareKey }
  return {
    names: { ...placesOf(own.names), ...namesOfFew },
    spare: { ...placesOf(own.spare), '/v0/customers/{customerId}/api-keys/{id}': ofCustomer },
    foreign: placesOf(foreign.names),
    absent: placesOf(absentNames),
    bodies,
    queries: Object.fromEntries(queries),
    always: Object.keys(harmless),
    reserved: own.keyIds,
    deadKeys: own.deadKeys,
    weakKey: own.weakKey,
  }
}

/** @returns the names to put into each path, by parameter */
function placesOf(names: Names): Record<string, Record<string, string>> {
  const placed = operations.map(({ path }) => {
    const nouns = nounsOf(path)
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    return [path, Object.fromEntries(parameters.map((name, at) => [name, names[nouns[at] as keyof Names]]))]
  })
  return Object.fromEntries(placed)
}
