// Every operation that a business may call has a method, which sends that operation and nothing else. An operation without a
// line here does not compile.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { samples } from '../examples/operations.gen.ts'
import { Causeway, operations } from '../src/index.ts'
import { scriptedServer, success } from './scripted-server.ts'

type BusinessOperation = {
  [Id in keyof typeof operations]: (typeof operations)[Id]['auth'] extends 'business' ? Id : never
}[keyof typeof operations]

const id = 'an/id'
const destination = { payment_rail: 'solana', currency: 'usdc', address: 'x' }
const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' }
const person = { type: 'individual', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' } as never

const methods = {
  createEndUser: (api) => api.endUsers.create({ externalUserId: id }),
  listEndUsers: (api) => api.endUsers.list(),
  getEndUser: (api) => api.endUsers.get(id),
  updateEndUser: (api) => api.endUsers.update(id, { email: 'ada@example.com' }),
  eraseEndUser: (api) => api.endUsers.erase(id),
  createTosLink: (api) => api.endUsers.createTosLink(id),
  submitKyc: (api) => api.kyc.submit(id, person),
  getKycLinks: (api) => api.kyc.links(id),
  getKycRequirements: (api) => api.kyc.requirements({ country: 'FRA' }),
  createOnboardingLink: (api) => api.onboarding.createLink(id),
  listOnboardingLinks: (api) => api.onboarding.links(id),
  listAllOnboardingLinks: (api) => api.onboarding.allLinks(),
  revokeOnboardingLink: (api) => api.onboarding.revokeLink(id),
  getBranding: (api) => api.onboarding.branding(),
  setBranding: (api) => api.onboarding.setBranding({}),
  createVirtualAccount: (api) =>
    api.virtualAccounts.create({ externalUserId: id, source: { currency: 'usd' }, destination }),
  listVirtualAccounts: (api) => api.virtualAccounts.list(),
  getVirtualAccount: (api) => api.virtualAccounts.get(id),
  updateVirtualAccount: (api) => api.virtualAccounts.update(id, { destination }),
  deactivateVirtualAccount: (api) => api.virtualAccounts.deactivate(id),
  reactivateVirtualAccount: (api) => api.virtualAccounts.reactivate(id),
  getDepositInstructions: (api) => api.virtualAccounts.depositInstructions(id),
  listDepositsOfVirtualAccount: (api) => api.virtualAccounts.deposits(id),
  listDeposits: (api) => api.deposits.list(),
  getDeposit: (api) => api.deposits.get(id),
  listCompletedDeposits: (api) => api.reports.deposits('2026-01-31'),
  sumCompletedDeposits: (api) => api.reports.depositSums('2026-01-31'),
  listInformationRequests: (api) => api.informationRequests.list(),
  getInformationRequest: (api) => api.informationRequests.get(id),
  setWebhookUrl: (api) => api.webhookEndpoints.setUrl({ webhookUrl: 'https://example.com' }),
  getWebhookUrl: (api) => api.webhookEndpoints.getUrl(),
  deleteWebhookUrl: (api) => api.webhookEndpoints.deleteUrl(),
  listWebhookEndpoints: (api) => api.webhookEndpoints.list(),
  createWebhookEndpoint: (api) => api.webhookEndpoints.create({ webhookUrl: 'https://example.com' }),
  getWebhookEndpoint: (api) => api.webhookEndpoints.get(id),
  updateWebhookEndpoint: (api) => api.webhookEndpoints.update(id, { status: 'paused' }),
  deleteWebhookEndpoint: (api) => api.webhookEndpoints.delete(id),
  rotateWebhookSecret: (api) => api.webhookEndpoints.rotateSecret(id),
  testWebhookEndpoint: (api) => api.webhookEndpoints.test(id),
  startReplay: (api) => api.webhookEndpoints.replay(id, range),
  listReplays: (api) => api.webhookEndpoints.replays(id),
  getReplay: (api) => api.webhookEndpoints.getReplay(id),
  cancelReplay: (api) => api.webhookEndpoints.cancelReplay(id),
  listEvents: (api) => api.events.list(),
  getEvent: (api) => api.events.get(id),
  listDeliveriesOfEvent: (api) => api.events.deliveries(id),
  explainEvent: (api) => api.events.explain(id),
  replayEvent: (api) => api.events.replay(id),
  listDeliveries: (api) => api.deliveries.list(),
  getDelivery: (api) => api.deliveries.get(id),
  retryDelivery: (api) => api.deliveries.retry(id),
  retryDeliveries: (api) => api.deliveries.retryFailed({ webhookEndpointId: id }),
  whoAmI: (api) => api.apiKeys.whoAmI(),
  createConsoleLink: (api) => api.consoleLinks.create({ scopes: ['events:read'] }),
  listConsoleLinks: (api) => api.consoleLinks.list(),
  revokeConsoleLink: (api) => api.consoleLinks.revoke(id),
  listApiKeys: (api) => api.apiKeys.list(),
  issueApiKey: (api) => api.apiKeys.issue(),
  rollApiKey: (api) => api.apiKeys.roll(id),
  revokeApiKey: (api) => api.apiKeys.revoke(id),
  listRequests: (api) => api.requests.list(),
  listAuditLog: (api) => api.auditLog.list(),
  getStats: (api) => api.stats(),
  getCapabilities: (api) => api.capabilities(),
  decideKyc: (api) => api.sandbox.decideKyc({ externalUserId: id, decision: 'approve' }),
  simulateDeposit: (api) => api.sandbox.simulateDeposit({ virtualAccountId: id, amount: '1.00' }),
  advanceDeposit: (api) => api.sandbox.advanceDeposit(id, {} as never),
  simulateInformationRequest: (api) => api.sandbox.simulateInformationRequest({ externalUserId: id }),
  advanceInformationRequest: (api) => api.sandbox.advanceInformationRequest(id, {} as never),
  getSandboxClock: (api) => api.sandbox.clock(),
  moveSandboxClock: (api) => api.sandbox.moveClock({} as never),
  resetSandbox: (api) => api.sandbox.reset(),
  acceptTerms: (api) => api.sandbox.acceptTerms({ externalUserId: id }),
  listSandboxFaults: (api) => api.sandbox.faults(),
  addSandboxFault: (api) => api.sandbox.addFault({ path: '^/v0/customers$', mode: 'status' }),
  clearSandboxFaults: (api) => api.sandbox.clearFaults(),
  listSandboxInboxes: (api) => api.sandbox.inboxes(),
  configureSandboxInbox: (api) => api.sandbox.configureInbox(id, {}),
} satisfies Record<BusinessOperation, (api: Causeway) => PromiseLike<unknown>>

describe('every business operation has a method that sends it', async () => {
  for (const [name, method] of Object.entries(methods) as [BusinessOperation, (api: Causeway) => Promise<unknown>][]) {
    test(name, async () => {
      await using server = await scriptedServer(success([]))
      await method(new Causeway({ baseUrl: server.url, apiKey: 'svc_test_x' }))
      const [seen] = server.seen
      const { method: verb, path, keyed } = operations[name]
      assert.equal(`${seen?.method} ${seen?.path.split('?')[0]}`, `${verb} ${path.replace(/\{\w+\}/, 'an%2Fid')}`)
      assert.equal(seen?.headers['idempotency-key'] !== undefined, keyed, 'a write carries a key, a read none')
      assert.equal(seen?.headers.authorization, 'Bearer svc_test_x')
    })
  }
})

test('the sample of the API reference sends the operation that it stands beside', async () => {
  for (const [name, sample] of Object.entries(samples) as [keyof typeof operations, (typeof samples)['whoAmI']][]) {
    await using server = await scriptedServer(success([]))
    await sample(new Causeway({ baseUrl: server.url, apiKey: 'svc_test_x' }), { log: () => {} })
    const [seen] = server.seen
    const { method, path } = operations[name]
    assert.equal(seen?.method, method, name)
    assert.match(seen?.path.split('?')[0] ?? '', new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), name)
  }
})

test('an operation of the operator is called by its id', async () => {
  await using server = await scriptedServer(success({ id: 'biz_1' }))
  const operator = new Causeway({ baseUrl: server.url, apiKey: 'operator-secret' })
  const customer = await operator.call('createCustomer', { body: { name: 'Shop' } })
  assert.equal(customer.id, 'biz_1')
  assert.deepEqual(
    server.seen.map(({ method, path, body }) => [method, path, body]),
    [['POST', '/v0/customers', '{"name":"Shop"}']],
  )
})
