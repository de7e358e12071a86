// The wire against the provider's own document: every operation it describes is called, and every answer is judged by
// it, successes and refusals alike.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { depositOutcomes } from '../src/deposits.ts'
import { decisions } from '../src/kyc.ts'
import type { Body } from './answers.ts'
import {
  accountBody,
  allEndorsements,
  approvedCustomer,
  business,
  deposit,
  depositAt,
  individual,
  openAccount,
} from './people.ts'
import { type CallOptions, type SandboxProcess, startProcess, until } from './sandbox-process.ts'
import { startReceiver, subscribe } from './webhook-receiver.ts'
import { type Judge, readReference, withoutReference } from './wire-reference.ts'

describe('conformance with the wire reference', { skip: withoutReference }, () => {
  let sandbox: SandboxProcess
  let judge: Judge
  const seen = new Set<string>()
  before(async () => {
    sandbox = await startProcess('--kyc-decision-ms', '1', '--deposit-step-ms', '1')
    judge = readReference()
  })
  after(() => sandbox.stop())

  /** Calls `template` with its parameters filled in, and has the answer judged. */
  const call = async (
    method: string,
    template: string,
    status: number,
    { ids = {}, query = '', ...options }: CallOptions & { ids?: Record<string, string>; query?: string } = {},
  ): Promise<Body> => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'unknown')
    const answer = await sandbox.wire(method, path + query, options)
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    judge.judge(method, template, status, answer.body)
    seen.add(`${method} ${template} ${status}`)
    return answer.body
  }

  test('customers', async () => {
    const bodies = [
      { type: 'individual' },
      individual(),
      individual({ endorsements: allEndorsements, signed_agreement_id: undefined }),
      business(),
      business({ associated_persons: [], documents: [] }),
    ]
    for (const body of bodies) {
      const { id } = await call('POST', '/customers', 201, { body })
      await call('GET', '/customers/{customerID}', 200, { ids: { customerID: id } })
      const change = body['type'] === 'business' ? { source_of_funds: 'grants' } : { middle_name: 'King' }
      await call('PUT', '/customers/{customerID}', 200, { ids: { customerID: id }, body: change })
      await call('GET', '/customers/{customerID}/tos_acceptance_link', 200, { ids: { customerID: id } })
      const query = '?endorsement=sepa&redirect_uri=https%3A%2F%2Fexample.com'
      await call('GET', '/customers/{customerID}/kyc_link', 200, { ids: { customerID: id }, query })
    }
    await call('POST', '/customers', 400, { body: { type: 'robot' } })
    for (const decision of decisions) {
      const body = decision === 'request_ubo' ? business() : individual()
      const { id } = await call('POST', '/customers', 201, { body })
      const { email } = await call('GET', '/customers/{customerID}', 200, { ids: { customerID: id } })
      const link = await call('POST', '/kyc_links', 200, { body: { email, type: 'individual' } })
      await sandbox.control('POST', `/customers/${id}/kyc`, { body: { decision } })
      await call('GET', '/customers/{customerID}', 200, { ids: { customerID: id } })
      await call('GET', '/kyc_links/{kycLinkID}', 200, { ids: { kycLinkID: link.id } })
    }
    await call('GET', '/customers', 200, { query: '?limit=100' })
    const { id } = await call('POST', '/customers', 201, { body: individual() })
    await call('DELETE', '/customers/{customerID}', 200, { ids: { customerID: id } })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      await call(method, '/customers/{customerID}', 404, method === 'PUT' ? { body: {} } : {})
    }
    await call('POST', '/customers/tos_links', 201)
  })

  test('KYC links', async () => {
    const body = { email: 'ada@example.com', type: 'individual', full_name: 'Ada Lovelace' }
    const link = await call('POST', '/kyc_links', 200, { body })
    await call('POST', '/kyc_links', 400, { body })
    await call('GET', '/kyc_links', 200)
    await call('GET', '/kyc_links/{kycLinkID}', 200, { ids: { kycLinkID: link.id } })
    await call('GET', '/kyc_links/{kycLinkID}', 404)
  })

  test('virtual accounts in every currency, and every kind of activity', async () => {
    const item = '/customers/{customerID}/virtual_accounts/{virtualAccountID}'
    const customer = await approvedCustomer(sandbox)
    for (const currency of ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop']) {
      const created = await call('POST', '/customers/{customerID}/virtual_accounts', 200, {
        ids: { customerID: customer.id },
        body: accountBody(currency, { developer_fee_percent: '1.5' }),
      })
      const ids = { customerID: customer.id, virtualAccountID: created.id }
      await call('GET', item, 200, { ids })
      await call('PUT', item, 200, { ids, body: { developer_fee_percent: '2' } })
      for (const rail of created.source_deposit_instructions.payment_rails) {
        const id = await deposit(sandbox, created, { amount: '9000.00', payment_rail: rail })
        await depositAt(sandbox, id, 'payment_processed')
      }
      await call('POST', `${item}/deactivate`, 200, { ids })
      await call('POST', `${item}/reactivate`, 200, { ids })
      await call('GET', `${item}/history`, 200, { ids, query: '?limit=100' })
    }
    const account = await openAccount(sandbox)
    for (const outcome of depositOutcomes) await deposit(sandbox, account, { amount: '50.00', outcome })
    await until('no step is due', async () => (await sandbox.control('GET', '/state')).body.pending_tasks.count === 0)
    await call('GET', '/customers/{customerID}/virtual_accounts', 200, { ids: { customerID: customer.id } })
    await call('GET', '/virtual_accounts', 200, { query: '?limit=100' })
    const history = await call('GET', '/virtual_accounts/history', 200, { query: '?limit=100' })
    assert.equal(new Set(history.data.map(({ type }) => type)).size, 12, 'every type of activity has been judged')
  })

  test('webhooks, their queue and their log', async () => {
    await using receiver = await startReceiver()
    const body = { url: `${receiver.url}/hooks`, event_epoch: 'beginning_of_time' }
    const created = await call('POST', '/webhooks', 201, { body })
    await call('POST', '/webhooks', 400, { body: { url: 'nowhere' } })
    const ids = { webhookID: created.id }
    await call('GET', '/webhooks', 200)
    const { data } = await call('GET', '/webhooks/{webhookID}/events', 200, { ids })
    assert.equal(data.length, 10)
    await call('PUT', '/webhooks/{webhookID}', 200, { ids, body: { event_categories: ['customer'] } })
    await call('POST', '/webhooks/{webhookID}/send', 200, { ids, body: { event_id: data[0]?.event_id } })
    await until('it has arrived', () => receiver.received.length > 0)
    await until('it is logged', async () => (await call('GET', '/webhooks/{webhookID}/logs', 200, { ids })).count > 0)
    await call('DELETE', '/webhooks/{webhookID}', 200, { ids })
    await call('PUT', '/webhooks/{webhookID}', 404, { body: {} })
    await call('DELETE', '/webhooks/{webhookID}', 404)
  })

  test('every event that was made, as it is delivered', async () => {
    await using receiver = await startReceiver()
    await subscribe(sandbox, receiver, { event_epoch: 'beginning_of_time' })
    const { body: all } = await sandbox.control('GET', '/events')
    await until('all have arrived', () => receiver.received.length === all.count)
    judge.judge('GET', '/webhooks/{webhookID}/events', 200, { data: receiver.received.map(({ event }) => event) })
    const shapes: Record<string, [method: string, template: string, status: number]> = {
      customer: ['GET', '/customers/{customerID}', 200],
      kyc_link: ['GET', '/kyc_links/{kycLinkID}', 200],
    }
    const mutations = ['created', 'updated', 'updated.status_transitioned', 'deleted']
    const statuses = `not_started incomplete active rejected under_review manual_review awaiting_ubo approved
      awaiting_funds funds_received payment_submitted payment_processed in_review canceled error returned
      refund_in_flight refund_failed refunded undeliverable`.split(/\s+/)
    for (const { event } of receiver.received) {
      const shape = shapes[event.event_category]
      if (shape) judge.judge(...shape, event.event_object)
      else judge.judge('GET', '/virtual_accounts/history', 200, { count: 1, data: [event.event_object] })
      assert.ok(
        mutations.some((mutation) => event.event_type === `${event.event_category}.${mutation}`),
        event.event_type,
      )
      assert.ok(event.event_object_status === null || statuses.includes(event.event_object_status))
      assert.equal(event.event_object_id, event.event_object.id)
    }
  })

  test('reference data', async () => {
    await call('GET', '/lists/countries', 200)
    await call('GET', '/lists/occupation_codes', 200)
  })

  test('a missing key and a failure, on every operation whose refusals the document describes', async () => {
    const fault = { path: '^/v0/', mode: 'status', status: 500, times: 1000 }
    for (const { method, path, statuses } of judge.operations) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const options = body === undefined ? {} : { body }
      if (statuses.includes('401'))
        await call(method, path, 401, { ...options, headers: { 'api-key': 'sk-test-wrong' } })
      if (!statuses.includes('500')) continue
      await sandbox.control('POST', '/faults', { body: fault })
      const answer = await sandbox.wire(method, path, options)
      await sandbox.control('DELETE', '/faults')
      // The document gives its 500 the schema of the other errors and an example that breaks it: the example is right.
      assert.deepEqual([answer.status, answer.body.errors.map(({ code }) => code)], [500, ['unexpected']])
      seen.add(`${method} ${path} 500`)
    }
  })

  test('every documented property of an object is there', async () => {
    const account = await openAccount(sandbox)
    const { body: customer } = await sandbox.wire('GET', `/customers/${account.customer_id}`)
    const { body: link } = await sandbox.wire('POST', '/kyc_links', {
      body: { email: 'grace@example.com', type: 'individual' },
    })
    const order = { url: 'https://example.com/hooks', event_epoch: 'webhook_creation' }
    const { body: webhook } = await sandbox.wire('POST', '/webhooks', { body: order })
    const objects = {
      Customer: customer,
      VirtualAccountResponse: account,
      IndividualKycLinkResponse: link,
      Webhook: webhook,
    }
    for (const [schema, object] of Object.entries(objects)) {
      const documented = judge.propertiesOf(schema)
      assert.ok(documented.length > 0)
      assert.deepEqual(
        documented.filter((property) => !(property in object)),
        [],
        schema,
      )
    }
  })

  test('the document finds a wrong status, a wrong type, a missing field and an over-long id', () => {
    const customer = { id: 'a', status: 'active', created_at: '2026-01-01T00:00:00.000Z' }
    const isGood = (change: object) => {
      try {
        judge.judge('GET', '/customers/{customerID}', 200, { ...customer, ...change })
        return true
      } catch {
        return false
      }
    }
    assert.ok(isGood({}))
    for (const change of [
      { status: 'happy' },
      { email: null },
      { created_at: 'yesterday' },
      { id: 'x'.repeat(43) },
      { endorsements: [{ name: 'base' }] },
    ]) {
      assert.ok(!isGood(change), JSON.stringify(change))
    }
  })

  test('every operation and status of the document has been judged', () => {
    const documented = judge.operations.flatMap(({ method, path, statuses }) =>
      statuses.map((status) => `${method} ${path} ${status}`),
    )
    // There is nothing that could be unknown about a list.
    const impossible = ['GET /kyc_links 404']
    assert.deepEqual(
      documented.filter((answer) => !seen.has(answer) && !impossible.includes(answer)),
      [],
    )
  })
})
