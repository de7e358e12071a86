// Every operation of openapi.json that changes something either writes an entry into the audit log, and is seen to, or
// says here why it need not.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allOperations } from '../../src/app/operations.ts'
import { deploymentChain } from '../../src/audit/audit.rules.ts'
import { type AuditRow, listAudit } from '../../src/audit/store.ts'
import { checkAudit } from '../../src/audit/verify.ts'
import { disableFailingEndpoint } from '../../src/webhooks/endpoints/service.ts'
import { type Answer, operations } from '../caller.ts'
import { solanaWallet } from '../people.ts'
import { issuerUrl } from '../sign-in/issuer-metadata.ts'
import { staffOf } from '../staff.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, limits: { failedAuthPerMinute: 100_000 } })
after(() => world.stop())
const deps = world.inside
const { secret: adminSecret } = world.operator
const { id: customerId } = world.business

const make = async (path: string, body: unknown): Promise<Record<string, string>> => {
  const answer = await world.business.call('POST', path, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}
const freshKey = async () => (await make('/v0/api-keys', {}))['id']
const token = 'a-token-of-the-receiver'
const webhookUrl = `https://hooks.example.com/${token}?secret=${token}`
const freshEndpoint = async () => (await make('/v0/webhook-endpoints', { webhookUrl }))['id']
const user = await world.business.user('approved')
const account = await world.business.account(user)

type Case = { method: string; path: string; body?: unknown; writes: string[] }

const wallet = { payment_rail: 'ethereum', currency: 'usdc', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }
const signIn = {
  issuer: issuerUrl,
  clientId: 'causeway',
  clientSecret: 'whsec_of-the-client',
  roles: { claim: 'groups', values: { ops: 'admin' } },
}
const ofAccount = `/v0/virtual-accounts/${account['id']}`
const ofCustomer = async () => `/v0/customers/${(await world.otherBusiness()).id}`

const slack = { type: 'slack', url: webhookUrl }
const channelCase = (path: string): Case => ({ method: 'POST', path, body: slack, writes: ['alert_channel.created'] })
const changeCase = (path: string): Case => ({
  method: 'PATCH',
  path,
  body: { name: 'Ops', url: `${webhookUrl}2` },
  writes: ['alert_channel.changed'],
})
const deletionCase = (path: string): Case => ({ method: 'DELETE', path, writes: ['alert_channel.deleted'] })
const freshChannel = async () => `/v0/alert-channels/${(await make('/v0/alert-channels', slack))['id']}`
const freshOperatorChannel = async () => {
  const { body } = await world.operator.call('POST', '/v0/operator/alert-channels', slack)
  return `/v0/operator/alert-channels/${body.data.id}`
}

/** In this order: some need what an earlier one left. */
const audited: Readonly<Record<string, () => Promise<Case[]>>> = {
  deleteEndUser: async () => [
    { method: 'DELETE', path: `/v0/end-users/${await world.business.user()}`, writes: ['end_user.deleted'] },
  ],
  updateVirtualAccount: async () => [
    {
      method: 'PATCH',
      path: ofAccount,
      body: { destination: wallet },
      writes: ['virtual_account.destination.changed'],
    },
    { method: 'PATCH', path: ofAccount, body: { developer_fee_percent: '0.7' }, writes: [] },
  ],
  deactivateVirtualAccount: async () => [
    { method: 'POST', path: `${ofAccount}/deactivate`, writes: ['virtual_account.deactivated'] },
    { method: 'POST', path: `${ofAccount}/deactivate`, writes: [] },
  ],
  reactivateVirtualAccount: async () => [
    { method: 'POST', path: `${ofAccount}/reactivate`, writes: ['virtual_account.reactivated'] },
  ],
  setWebhookUrl: async () => [
    { method: 'PUT', path: '/v0/webhook-url', body: { webhookUrl }, writes: ['webhook_endpoint.changed'] },
    { method: 'PUT', path: '/v0/webhook-url', body: { webhookUrl }, writes: [] },
  ],
  deleteWebhookUrl: async () => [
    { method: 'DELETE', path: '/v0/webhook-url', writes: ['webhook_endpoint.deleted'] },
    { method: 'PUT', path: '/v0/webhook-url', body: { webhookUrl }, writes: ['webhook_endpoint.created'] },
  ],
  createWebhookEndpoint: async () => [
    { method: 'POST', path: '/v0/webhook-endpoints', body: { webhookUrl }, writes: ['webhook_endpoint.created'] },
  ],
  updateWebhookEndpoint: async () => {
    const path = `/v0/webhook-endpoints/${await freshEndpoint()}`
    return [
      { method: 'PATCH', path, body: { description: 'Ledger' }, writes: ['webhook_endpoint.changed'] },
      { method: 'PATCH', path, body: { status: 'paused' }, writes: ['webhook_endpoint.paused'] },
      { method: 'PATCH', path, body: { status: 'enabled' }, writes: ['webhook_endpoint.enabled'] },
      {
        method: 'PATCH',
        path,
        body: { webhookUrl: 'https://other.example.com/', status: 'paused' },
        writes: ['webhook_endpoint.changed', 'webhook_endpoint.paused'],
      },
    ]
  },
  deleteWebhookEndpoint: async () => [
    { method: 'DELETE', path: `/v0/webhook-endpoints/${await freshEndpoint()}`, writes: ['webhook_endpoint.deleted'] },
  ],
  rotateWebhookSecret: async () => [
    {
      method: 'POST',
      path: `/v0/webhook-endpoints/${await freshEndpoint()}/rotate-secret`,
      body: { overlapHours: 0 },
      writes: ['webhook_endpoint.secret_rotated'],
    },
  ],
  issueApiKey: async () => [{ method: 'POST', path: '/v0/api-keys', body: {}, writes: ['api_key.created'] }],
  rollApiKey: async () => [
    { method: 'POST', path: `/v0/api-keys/${await freshKey()}/roll`, body: {}, writes: ['api_key.rolled'] },
  ],
  revokeApiKey: async () => [
    { method: 'DELETE', path: `/v0/api-keys/${await freshKey()}`, writes: ['api_key.revoked'] },
  ],
  createOnboardingLink: async () => [
    {
      method: 'POST',
      path: `/v0/end-users/${await world.business.user()}/onboarding-links`,
      body: {},
      writes: ['onboarding_link.created'],
    },
  ],
  revokeOnboardingLink: async () => {
    const path = `/v0/end-users/${await world.business.user()}/onboarding-links`
    const { id } = (await world.business.call('POST', path, {})).body.data
    return [{ method: 'DELETE', path: `/v0/onboarding-links/${id}`, writes: ['onboarding_link.revoked'] }]
  },
  setBranding: async () => [
    { method: 'PUT', path: '/v0/branding', body: { name: 'Acme' }, writes: ['branding.changed'] },
  ],
  setSignIn: async () => [{ method: 'PUT', path: '/v0/sign-in', body: signIn, writes: ['sign_in.changed'] }],
  deleteSignIn: async () => [{ method: 'DELETE', path: '/v0/sign-in', writes: ['sign_in.removed'] }],
  setCustomerSignIn: async () => [
    { method: 'PUT', path: `${await ofCustomer()}/sign-in`, body: signIn, writes: ['sign_in.changed'] },
  ],
  deleteCustomerSignIn: async () => {
    const path = `${await ofCustomer()}/sign-in`
    return [
      { method: 'PUT', path, body: signIn, writes: ['sign_in.changed'] },
      { method: 'DELETE', path, writes: ['sign_in.removed'] },
    ]
  },
  createConsoleLink: async () => [
    { method: 'POST', path: '/v0/console-links', body: { scopes: ['events:read'] }, writes: ['console_link.created'] },
  ],
  revokeConsoleLink: async () => {
    const { id } = (await world.business.call('POST', '/v0/console-links', { scopes: ['events:read'] })).body.data
    return [{ method: 'DELETE', path: `/v0/console-links/${id}`, writes: ['console_link.revoked'] }]
  },
  signOutStaff: async () => {
    const { id } = await staffOf(world, { businessId: customerId })
    return [{ method: 'DELETE', path: `/v0/staff/${id}/sessions`, writes: ['staff.signed_out'] }]
  },
  signOutOperatorStaff: async () => {
    const { id } = await staffOf(world, { businessId: deploymentChain })
    return [{ method: 'DELETE', path: `/v0/operator/staff/${id}/sessions`, writes: ['staff.signed_out'] }]
  },
  createAlertChannel: async () => [channelCase('/v0/alert-channels')],
  updateAlertChannel: async () => [changeCase(await freshChannel())],
  deleteAlertChannel: async () => [deletionCase(await freshChannel())],
  createOperatorAlertChannel: async () => [channelCase('/v0/operator/alert-channels')],
  updateOperatorAlertChannel: async () => [changeCase(await freshOperatorChannel())],
  deleteOperatorAlertChannel: async () => [deletionCase(await freshOperatorChannel())],
  createCustomer: async () => [
    { method: 'POST', path: '/v0/customers', body: { name: 'New' }, writes: ['customer.created'] },
  ],
  updateCustomer: async () => {
    const path = await ofCustomer()
    return [
      { method: 'PATCH', path, body: { status: 'suspended' }, writes: ['customer.suspended'] },
      { method: 'PATCH', path, body: { status: 'suspended' }, writes: [] },
      {
        method: 'PATCH',
        path,
        body: { status: 'active', name: 'X' },
        writes: ['customer.renamed', 'customer.resumed'],
      },
    ]
  },
  setCustomerWebhookUrl: async () => [
    {
      method: 'PUT',
      path: `${await ofCustomer()}/webhook-url`,
      body: { webhookUrl },
      writes: ['webhook_endpoint.created'],
    },
  ],
  issueCustomerApiKey: async () => [
    { method: 'POST', path: `${await ofCustomer()}/api-keys`, body: {}, writes: ['api_key.created'] },
  ],
  revokeCustomerApiKey: async () => [
    { method: 'DELETE', path: `/v0/customers/${customerId}/api-keys/${await freshKey()}`, writes: ['api_key.revoked'] },
  ],
}

const auditOf = new Map(allOperations.map(({ id, audit }) => [id, audit]))

const changing = operations.filter(({ method }) => method !== 'GET')
const everything = () => deps.db.read((query) => listAudit(query, null, { limit: 10_000 }))

test('each operation that declares entries is tried here, and no other is', () => {
  const declaring = changing.filter(({ id }) => Array.isArray(auditOf.get(id)))
  assert.deepEqual(declaring.map(({ id }) => id).sort(), Object.keys(audited).sort())
})

const declaredBy = (id: string): readonly string[] => {
  const audit = auditOf.get(id) ?? []
  return 'none' in audit ? [] : audit
}

let serial = 0
for (const [id, prepare] of Object.entries(audited)) {
  test(`${id} writes what it did, who did it, and in which request, and nothing when it changes nothing`, async () => {
    const operation = changing.find((known) => known.id === id)
    assert.ok(operation)
    const cases = await prepare()
    assert.ok(cases.some(({ writes }) => writes.length > 0))
    for (const { method, path, body, writes } of cases) {
      serial += 1
      const requestId = `audited-${serial}`
      const key = operation.auth === 'operator' ? adminSecret : world.business.apiKey
      const answer = await world.business.call(method, path, body, { key, headers: { 'x-request-id': requestId } })
      assert.equal(answer.status, 200, answer.text)
      const entries = (await everything()).filter((row) => row.requestId === requestId)
      assert.deepEqual(entries.map(({ action }) => action).sort(), [...writes].sort())
      if (method === operation.method)
        for (const action of writes) assert.ok(declaredBy(id).includes(action), `${id} does not declare ${action}`)
      for (const entry of entries) assertTells(entry, operation.auth, path, answer)
    }
  })
}

const me = await world.business.call('GET', '/v0/whoami')

const chainOf = (path: string, answer: Answer): string =>
  path.startsWith('/v0/operator/') ? deploymentChain : answer.body.data.id

function assertTells(entry: AuditRow, auth: string, path: string, answer: Answer): void {
  assert.equal(entry.actor, auth === 'operator' ? 'operator' : me.body.data.apiKeyId)
  const named = /biz_\w+/.exec(path)?.[0]
  assert.equal(entry.businessId, auth === 'operator' ? (named ?? chainOf(path, answer)) : customerId)
  assert.match(entry.subjectId, /^(biz|key|alc|console_link|onboarding_link|whe|eu|va|staff)_/)
  assert.ok(Math.abs(entry.createdAt.getTime() - Date.now()) < 60_000)
}

test('a refused act writes nothing', async () => {
  const before = (await everything()).length
  await world.business.call('DELETE', '/v0/api-keys/key_00000000000000000000000000')
  await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl: 'https://10.0.0.1/' })
  await world.business.call('PATCH', ofAccount, { destination: { ...solanaWallet, address: 'nowhere' } })
  await world.business.call('DELETE', `/v0/end-users/${user}`)
  assert.equal((await everything()).length, before)
})

test('an endpoint that Causeway switches off itself is an entry of its own', async () => {
  const id = await freshEndpoint()
  const verdict = { disabledReason: 'The receiver responded with 410 Gone.', startedMs: performance.now() }
  await disableFailingEndpoint(deps, { businessId: customerId, endpointId: id ?? '' }, verdict)
  const [entry] = await everything()
  assert.deepEqual(
    [entry?.action, entry?.actor, entry?.subjectId, entry?.requestId],
    ['webhook_endpoint.disabled', 'causeway', id, null],
  )
})

test('no entry holds a key, a secret or the path of a webhook URL, and all of them verify', async () => {
  const text = JSON.stringify(await everything())
  assert.doesNotMatch(text, /svc_(test|live|link|session)_|whsec_|a-token-of/)
  assert.match(text, /https:\/\/hooks\.example\.com"/)
  const { ok, findings } = await checkAudit(deps, null)
  assert.deepEqual(findings, [])
  assert.ok(ok)
})
