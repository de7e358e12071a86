// The recorded story: a business is created, onboards a person, opens an account, gets a deposit, reads its events and deletes
// its objects. Each operation is called at least once; the last response of each is kept.

import { setTimeout as delay } from 'node:timers/promises'
import type { World } from '../../packages/cli/src/world/world.ts'
import { allOperations } from '../../packages/server/src/app/operations.ts'
import { deploymentChain } from '../../packages/server/src/audit/audit.rules.ts'
import { signInStaff } from '../../packages/server/src/console/staff-sessions.ts'
import { type ExampleNames, nounsOf } from '../../packages/server/src/platform/http/operation.ts'
import type { RecordedRequest } from '../code-samples/samples.ts'
import type { JsonRecord } from '../openapi-schemas.ts'
import { startIssuerMetadata } from './issuer.ts'

/** A call of an operation. `key` defaults to the API key of the story's business. */
type Asked = RecordedRequest & { key?: string }

/** Calls an operation by its ID. @returns the `data` of the response @throws Error if the status is not 200 */
// biome-ignore lint/suspicious/noExplicitAny: the story reads what it has just asked for
export type Ask = (operationId: string, asked?: Asked) => Promise<any>

/** `parts`: of the server, to sign staff in without an issuer. */
type StoryWorld = Pick<World, 'facts'> & { parts: World['server']['deps'] }

const person = 'user-4711'
const wallet = { payment_rail: 'solana', currency: 'usdc', address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE' }
const waitMsMax = 60_000

export async function tellStory(world: StoryWorld, askAny: Ask): Promise<void> {
  const told = new Set<string>()
  const tell: Ask = (operationId, asked) => {
    told.add(operationId)
    return askAny(operationId, asked)
  }
  const key = await makeBusiness(world, tell)
  const ask: Ask = (operationId, asked) => tell(operationId, { key, ...asked })
  await setSignIns(world, ask)
  const webhookEndpoint = await receiveEvents(world, ask)
  await onboard(ask)
  const account = await openAccount(ask)
  const { customerId } = await ask('whoAmI')
  await meetStaff(world, tell, key, customerId)
  const paid = await receiveMoney(ask, account)
  const event = await lookAtEvents(ask, webhookEndpoint)
  await readTheRest(ask, told, {
    ...{ externalUserId: person, account, webhookEndpoint, event, ...paid },
    alertChannel: await watch(ask, `${world.facts.tosOrigin}/inbox/alerts`),
  })
  await ask('receiveProviderWebhook', { body: { event_id: 'wh_0e7c1a5e', event_type: 'customer.updated' } })
  await operate(world, askAny, customerId)
  await clearUp(ask, { virtualAccountId: account, webhookEndpointId: webhookEndpoint })
}

/** @returns the key of the new business */
async function makeBusiness(world: Pick<World, 'facts'>, ask: Ask): Promise<string> {
  const asOperator: Ask = (operationId, asked) => ask(operationId, { key: world.facts.adminSecret, ...asked })
  const { id: at } = await asOperator('createCustomer', { body: { name: 'Acme' } })
  await asOperator('updateCustomer', { at, body: { name: 'Acme Payments' } })
  await asOperator('getCustomer', { at })
  await asOperator('listCustomers', { query: { limit: 1 } })
  await asOperator('setCustomerWebhookUrl', { at, body: { webhookUrl: `${world.facts.tosOrigin}/inbox/acme` } })
  const { key } = await asOperator('issueCustomerApiKey', { at, body: { name: 'Backend' } })
  await asOperator('listCustomerApiKeys', { at })
  const { id: spare } = await asOperator('issueCustomerApiKey', { at, body: { name: 'Backend' } })
  await asOperator('revokeCustomerApiKey', { at: [at, spare] })
  await asOperator('getCustomerStats', { at })
  const { id } = await ask('issueApiKey', { key, body: { name: 'Reports', scopes: ['virtual_accounts:read'] } })
  const { id: rolled } = await ask('rollApiKey', { key, at: id, body: { expiresInHours: 0 } })
  await ask('revokeApiKey', { key, at: rolled })
  const link = await ask('createConsoleLink', {
    key,
    body: { scopes: ['end_users:read', 'events:read'], expiresInMinutes: 60 },
  })
  await ask('revokeConsoleLink', { key, at: link.id })
  await ask('listAuditLog', { key, query: { limit: 1, action: 'api_key.rolled' } })
  await asOperator('listCustomerAuditLog', { at, query: { limit: 1, action: 'api_key.rolled' } })
  return key
}

/** The business and the operator each set an issuer, and remove it. */
async function setSignIns(world: Pick<World, 'facts'>, ask: Ask): Promise<void> {
  await using issuer = await startIssuerMetadata()
  const asOperator: Ask = (operationId, asked) => ask(operationId, { ...asked, key: world.facts.adminSecret })
  const { customerId: at } = await ask('whoAmI')
  const roles = { claim: 'groups', values: { 'payments-admins': 'admin', 'payments-support': 'support' } }
  const body = { issuer: issuer.url, clientId: 'causeway', clientSecret: 'secret-of-the-client', roles }
  await asOperator('setCustomerSignIn', { at, body })
  await asOperator('getCustomerSignIn', { at })
  await asOperator('deleteCustomerSignIn', { at })
  await ask('setSignIn', { body })
  await ask('getSignIn')
  await ask('deleteSignIn')
}

/** @returns the id of a webhook endpoint */
async function receiveEvents(world: Pick<World, 'facts'>, ask: Ask): Promise<string> {
  await ask('deleteWebhookUrl')
  await ask('setWebhookUrl', { body: { webhookUrl: `${world.facts.tosOrigin}/inbox/acme` } })
  await ask('getWebhookUrl')
  await ask('deleteWebhookUrl') // two receivers at once would get an event in an order that chance decides
  const body = {
    webhookUrl: `${world.facts.tosOrigin}/inbox/ledger`,
    description: 'The ledger',
    eventTypes: ['virtual_account.*'],
  }
  const { id: at } = await ask('createWebhookEndpoint', { body })
  await ask('rotateWebhookSecret', { at, body: { overlapHours: 24 } })
  await ask('testWebhookEndpoint', { at, body: { eventType: 'virtual_account.payment.received' } })
  return at
}

async function onboard(ask: Ask): Promise<void> {
  await ask('createEndUser', { body: { externalUserId: 'user-4712' } })
  await ask('deleteEndUser', { at: 'user-4712' })
  const email = 'user-4711@example.com'
  await ask('createEndUser', { body: { externalUserId: person, email, metadata: { plan: 'plus' } } })
  await ask('updateEndUser', { at: person, body: { metadata: { plan: 'gold' } } })
  await ask('getKycRequirements', { query: { country: 'USA', rails: 'usd' } })
  await ask('setBranding', {
    body: {
      name: 'Acme',
      colors: { primary: '#1d4ed8' },
      supportEmail: 'help@acme.example',
      privacyUrl: 'https://acme.example/privacy',
      embedOrigins: ['https://app.acme.example'],
    },
  })
  const { id: linkId } = await ask('createOnboardingLink', {
    at: person,
    body: { rails: ['usd'], redirectUri: 'https://app.acme.example/onboarded' },
  })
  await ask('listOnboardingLinks', { at: person })
  await ask('listAllOnboardingLinks', { query: { status: 'open' } })
  await ask('revokeOnboardingLink', { at: linkId })
  await ask('createTosLink', { at: person, body: {} })
  const { signedAgreementId } = await ask('acceptTerms', { body: { externalUserId: person } })
  await ask('getKycLinks', { at: person })
  await ask('submitKyc', { at: person, body: kycBody(email, signedAgreementId) })
  await until('the approval', async () => (await ask('getEndUser', { at: person })).rails.usd === 'active')
}

function kycBody(email: string, signed_agreement_id: string): JsonRecord {
  return {
    type: 'individual',
    first_name: 'Ada',
    last_name: 'Lovelace',
    email,
    phone: '+12223334444',
    birth_date: '1990-12-10',
    residential_address: {
      street_line_1: '1 Analytical Way',
      city: 'San Francisco',
      subdivision: 'CA',
      postal_code: '94105',
      country: 'USA',
    },
    identifying_information: [{ type: 'ssn', issuing_country: 'usa', number: '123-45-6789' }],
    signed_agreement_id,
  }
}

/** @returns the id of the account */
async function openAccount(ask: Ask): Promise<string> {
  const { id: at } = await ask('createVirtualAccount', {
    body: { externalUserId: person, source: { currency: 'usd' }, destination: wallet, developer_fee_percent: '0.5' },
  })
  await ask('updateVirtualAccount', { at, body: { developer_fee_percent: '0.75' } })
  return at
}

/** @returns the last deposit, and the day on which it was completed */
async function receiveMoney(ask: Ask, virtualAccountId: string): Promise<{ deposit: string; day: string }> {
  const newest = async () =>
    (await ask('listDepositsOfVirtualAccount', { at: virtualAccountId, query: { limit: 1 } }))[0]
  await ask('simulateDeposit', { body: { virtualAccountId, amount: '500.42' } })
  await until('the review', async () => (await newest())?.status === 'in_review')
  await ask('advanceDeposit', { at: (await newest()).id, body: { to: 'completed' } })
  await until('the first deposit', async () => (await newest()).status === 'completed')
  await ask('simulateDeposit', { body: { virtualAccountId, amount: '1000.00', senderName: 'Charles Babbage' } })
  await until('the second deposit', async () => {
    const { status, grossAmount } = await newest()
    return status === 'completed' && grossAmount.value === '1000.00'
  })
  const { id: deposit, completedAt } = await newest()
  await answerProvider(ask, deposit)
  return { deposit, day: completedAt.slice(0, 10) }
}

async function answerProvider(ask: Ask, depositId: string): Promise<void> {
  const body = { externalUserId: person, depositId, deadlineInHours: 168, actionTaken: 'transaction_paused' }
  const { id: at } = await ask('simulateInformationRequest', { body })
  const first = async () => (await ask('listInformationRequests', { query: { limit: 1 } }))[0]
  await until('the request', async () => (await first())?.state === 'action_required')
  await ask('getInformationRequest', { at })
  await ask('advanceInformationRequest', { at, body: { to: 'closed' } })
  await until('the end of the request', async () => (await first()).state === 'closed')
}

/** @returns the id of an event */
async function lookAtEvents(ask: Ask, webhookEndpointId: string): Promise<string> {
  const paid = { limit: 1, eventType: 'virtual_account.payment.received' }
  const [{ id: at }] = await ask('listEvents', { query: paid })
  await until('the delivery', async () => (await ask('listDeliveriesOfEvent', { at }))[0].status === 'delivered')
  const [{ id: deliveryId }] = await ask('listDeliveriesOfEvent', { at })
  await ask('getDelivery', { at: deliveryId })
  await ask('explainEvent', { at })
  // While the endpoint is paused, the resent delivery stays queued until the response is written.
  await ask('updateWebhookEndpoint', { at: webhookEndpointId, body: { status: 'paused' } })
  await ask('retryDelivery', { at: deliveryId })
  await ask('replayEvent', { at, body: { webhookEndpointId } })
  await ask('updateWebhookEndpoint', { at: webhookEndpointId, body: { status: 'enabled' } })
  await untilDelivered(ask)
  const now = Date.now()
  const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 3_600_000).toISOString() }
  const { id: replay } = await ask('startReplay', { at: webhookEndpointId, body: { ...range, status: 'delivered' } })
  await until('the replay', async () => (await ask('getReplay', { at: replay })).state === 'done')
  await ask('cancelReplay', { at: replay })
  await ask('retryDeliveries', { body: { filter: {} } })
  await untilDelivered(ask)
  await ask('listDeliveries', { query: { ...paid, status: 'delivered' } })
  await ask('updateWebhookEndpoint', { at: webhookEndpointId, body: { ordering: 'per_end_user' } })
  const opened = { limit: 1, method: 'POST', path: '/v0/virtual-accounts' }
  await until('the log of requests', async () => (await ask('listRequests', { query: opened })).length === 1)
  return at
}

/** Waits until nothing is on its way: two recordings count the same deliveries then. */
async function untilDelivered(ask: Ask): Promise<void> {
  for (const status of ['pending', 'retrying'])
    await until(status, async () => (await ask('listDeliveries', { query: { limit: 1, status } })).length === 0)
}

/** Asks each operation that reads, and that the story has not asked, as its declaration says. */
async function readTheRest(ask: Ask, told: ReadonlySet<string>, names: Partial<ExampleNames>): Promise<void> {
  for (const { id, kind, caller, address, example } of allOperations) {
    if (kind === 'write' || caller !== 'business' || told.has(id)) continue
    const at = nounsOf(address).map((noun) => names[noun] ?? missing(id, noun))
    const query = example?.query?.(names as ExampleNames)
    const [only] = at
    await ask(id, { ...(only !== undefined && { at: at.length === 1 ? only : at }), ...(query && { query }) })
  }
}

function missing(id: string, noun: string): never {
  throw new Error(`let the story ask ${id}: it has no ${noun} to name`)
}

/** Lists and signs out a staff member of the business and one of the operator, without an issuer. */
async function meetStaff(world: StoryWorld, ask: Ask, ownKey: string, at: string): Promise<void> {
  const signedIn = { requestId: 'recording', previous: null }
  const sign = async (businessId: string, subject: string, name: string, email: string) => {
    const identity = { issuer: 'https://login.acme.example', subject, name, email }
    const grant = { identity, roles: ['admin'], authTime: null, sid: null, refreshToken: null } as const
    await signInStaff(world.parts, { businessId, ...grant }, signedIn)
  }
  await sign(at, '00u1a2b3c4', 'Grace Hopper', 'grace@acme.example')
  await sign(deploymentChain, '00u5d6e7f8', 'Alan Turing', 'alan@operator.example')
  for (const [list, signOut, key] of [
    ['listStaff', 'signOutStaff', ownKey],
    ['listOperatorStaff', 'signOutOperatorStaff', world.facts.adminSecret],
  ] as const) {
    const [{ id }] = await ask(list, { key, query: { limit: 1 } })
    await ask(signOut, { key, at: id })
  }
}

/** Calls the operator's operations, with an event that belongs to no known business. */
async function operate(world: Pick<World, 'facts'>, ask: Ask, at: string): Promise<void> {
  const asOperator: Ask = (operationId, asked) => ask(operationId, { key: world.facts.adminSecret, ...asked })
  await asOperator('listCustomerRequests', { at, query: { limit: 1, method: 'POST', path: '/v0/virtual-accounts' } })
  await asOperator('listCustomerRequestErrors', { at })
  await asOperator('getProviderStatus')
  await asOperator('getRelayStatus')
  await asOperator('getStorageStatus')
  await asOperator('listAllInformationRequests', { query: { limit: 1 } })
  await until('the held event', async () => (await asOperator('listHeldEvents', { query: { limit: 1 } })).length === 1)
  const [{ id }] = await asOperator('listHeldEvents', { query: { limit: 1 } })
  await asOperator('getHeldEvent', { at: id })
  await asOperator('retryHeldEvent', { at: id })
  await watchDeployment(asOperator, `${world.facts.tosOrigin}/inbox/operator`)
}

/** @returns the id of an alert channel, after an alert was sent to it */
async function watch(ask: Ask, url: string): Promise<string> {
  const { id: spare } = await ask('createAlertChannel', { body: { type: 'slack', url, name: 'Spare' } })
  await ask('deleteAlertChannel', { at: spare })
  const { id: at } = await ask('createAlertChannel', { body: { type: 'webhook', url, name: 'On call' } })
  await ask('updateAlertChannel', { at, body: { endpointFailingMinutes: 30 } })
  await ask('testAlertChannel', { at })
  await ask('issueApiKey', { body: { name: 'Reports', scopes: ['virtual_accounts:read'] } })
  const query = { limit: 1 }
  const newest = async () => (await ask('listAlertMessages', { query }))[0]
  await until('the alert', async () => {
    const message = await newest()
    return message?.state === 'sent' && !message.isTest
  })
  return at
}

/** The same for the operator, about the deployment. */
async function watchDeployment(asOperator: Ask, url: string): Promise<void> {
  const { id: at } = await asOperator('createOperatorAlertChannel', { body: { type: 'slack', url, name: 'On call' } })
  await asOperator('listOperatorAlertChannels')
  await asOperator('getOperatorAlertChannel', { at })
  await asOperator('updateOperatorAlertChannel', { at, body: { endpointFailingMinutes: 30 } })
  await asOperator('testOperatorAlertChannel', { at })
  const query = { limit: 1 }
  await until('the test', async () => (await asOperator('listOperatorAlertMessages', { query }))[0]?.state === 'sent')
  await asOperator('listOperatorAlerts', { query })
  await asOperator('deleteOperatorAlertChannel', { at })
}

async function clearUp(
  ask: Ask,
  { virtualAccountId, webhookEndpointId }: { virtualAccountId: string; webhookEndpointId: string },
): Promise<void> {
  await ask('deactivateVirtualAccount', { at: virtualAccountId })
  await ask('reactivateVirtualAccount', { at: virtualAccountId })
  await ask('decideKyc', { body: { externalUserId: person, decision: 'pause' } })
  await ask('moveSandboxClock', { body: { advanceSeconds: 3_600 } })
  await ask('getSandboxClock')
  await ask('addSandboxFault', { body: { path: '^/v0/customers$', mode: 'cut_after', method: 'POST' } })
  await ask('listSandboxFaults')
  await ask('clearSandboxFaults')
  await ask('configureSandboxInbox', { at: webhookEndpointId, body: { failNext: 3 } })
  await ask('listSandboxInboxes')
  await ask('deleteWebhookEndpoint', { at: webhookEndpointId })
  await ask('resetSandbox')
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + waitMsMax
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${waitMsMax / 1_000} s`)
    await delay(50)
  }
}
