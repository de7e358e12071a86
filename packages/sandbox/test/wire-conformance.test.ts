// The wire against the provider's document: calls every operation of the emulator, and validates every response, success or
// refusal.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { wireOperations } from '../src/bridge/app/wire.ts'
import { decisions } from '../src/bridge/customers/rows.ts'
import { depositOutcomes } from '../src/bridge/deposits/deposits.ts'
import type { Body } from './answers.ts'
import {
  accountBody,
  allEndorsements,
  approvedCustomer,
  associatedPerson,
  business,
  deposit,
  depositAt,
  individual,
  openAccount,
} from './people.ts'
import { type CallOptions, type Sandbox, startSandbox, until } from './sandbox.ts'
import { startReceiver, subscribe } from './webhook-receiver.ts'
import { deviations, listedUnder } from './wire-deviations.ts'
import { type Judge, readReference, withoutReference } from './wire-reference.ts'

describe('conformance with the wire reference', { skip: withoutReference }, () => {
  let sandbox: Sandbox
  let judge: Judge
  let offered: Judge['operations']
  const seen = new Set<string>()
  const occurred = new Set<string>()
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 1, depositStepMs: 1 })
    judge = readReference(deviations)
    const answers = judge.operations.map(async (operation) => ((await isOffered(operation)) ? [operation] : []))
    offered = (await Promise.all(answers)).flat()
  })
  after(() => sandbox.stop())

  const isOffered = async ({ method, path }: { method: string; path: string }): Promise<boolean> => {
    const options = method === 'PUT' || method === 'POST' ? { body: {} } : {}
    const { body } = await sandbox.wire(method, path.replace(/\{\w+\}/g, 'unknown'), options)
    return body.code !== 'not_found'
  }

  /** Calls an operation and validates the response, and the request body if it was accepted. */
  const call = async (
    method: string,
    template: string,
    status: number,
    { ids = {}, query = '', ...options }: CallOptions & { ids?: Record<string, string>; query?: string } = {},
  ): Promise<Body> => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'unknown')
    const answer = await sandbox.wire(method, path + query, options)
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    noteStatus(method, template, status)
    judge.judgeAnswer(method, template, status, answer.body)
    if (status < 300 && options.body !== undefined) judge.judgeRequest(method, template, options.body)
    return answer.body
  }

  const noteStatus = (method: string, template: string, status: number): void => {
    const name = `${method} ${template} ${status}`
    seen.add(name)
    const operation = judge.operations.find((known) => known.method === method && known.path === template)
    if (operation?.statuses.includes(String(status))) return
    const listed = Object.entries(deviations.statuses).find(([, pattern]) => pattern.test(name))
    assert.ok(listed, `${name} is not in the document`)
    occurred.add(listed[0])
  }

  test('customers', async () => {
    const bodies = [
      { type: 'individual' },
      individual(),
      individual({ endorsements: allEndorsements, signed_agreement_id: undefined, client_reference_id: 'ours-1' }),
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
      const body = /ubo|owner/.test(decision) ? business() : individual()
      const { id } = await call('POST', '/customers', 201, { body })
      const { email } = await call('GET', '/customers/{customerID}', 200, { ids: { customerID: id } })
      const link = await call('POST', '/kyc_links', 200, { body: { email, type: 'individual' } })
      assert.equal((await sandbox.control('POST', `/customers/${id}/kyc`, { body: { decision } })).status, 200)
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

  test('people of a company', async () => {
    const { id: customerID } = await call('POST', '/customers', 201, { body: business() })
    const collection = '/customers/{customerID}/associated_persons'
    const body = associatedPerson({ is_signer: false, attested_ownership_structure_at: '2026-11-01T00:00:00.000Z' })
    await call('POST', collection, 400, { ids: { customerID }, body: {} })
    await call('POST', collection, 404, { body })
    await call('GET', collection, 404)
    const { data } = await call('GET', collection, 200, { ids: { customerID } })
    for (const item of [`${collection}/{associatedPersonID}`, '/associated_persons/{associatedPersonID}']) {
      const { id } = await call('POST', collection, 201, { ids: { customerID }, body })
      const ids = { customerID, associatedPersonID: id }
      await call('GET', item, 200, { ids })
      await call('PUT', item, 200, { ids, body })
      await call('PUT', item, 400, { ids, body: {} })
      await call('DELETE', item, 200, { ids })
      for (const method of ['GET', 'PUT', 'DELETE']) {
        await call(method, item, 404, method === 'PUT' ? { body } : {})
      }
      await call('DELETE', item, 400, { ids: { customerID, associatedPersonID: data[0]?.id ?? '' } })
    }
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
    for (const form of ['receipt_newer', 'receipt_newer_fee_after']) {
      await sandbox.control('POST', '/behaviour', { body: { [form]: true } })
      await deposit(sandbox, account, { amount: '50.00' })
      await sandbox.control('POST', '/behaviour', { body: { [form]: false } })
    }
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
    judge.judgeAnswer('GET', '/webhooks/{webhookID}/events', 200, { data: receiver.received.map(({ event }) => event) })
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
      if (shape) judge.judgeAnswer(...shape, event.event_object)
      else judge.judgeAnswer('GET', '/virtual_accounts/history', 200, { count: 1, data: [event.event_object] })
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
    await call('GET', '/exchange_rates', 200, { query: '?from=usd&to=eur' })
  })

  test('a wrong key, a failure and what cannot be understood, on every operation', async () => {
    const fault = { path: '^/v0/', mode: 'status', status: 500, times: 1000 }
    for (const { method, path, statuses } of offered) {
      const options = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
      await call(method, path, 401, { ...options, headers: { 'api-key': 'sk-test-wrong' } })
      if (!statuses.includes('500')) continue
      await sandbox.control('POST', '/faults', { body: fault })
      await call(method, path, 500, options)
      await sandbox.control('DELETE', '/faults')
    }
    const lists = offered.filter(
      ({ method, path }) => method === 'GET' && /^\/(customers|virtual_accounts|kyc_links)$/.test(path),
    )
    for (const { method, path } of lists) await call(method, path, 400, { query: '?limit=none' })
    await call('GET', '/exchange_rates', 400, { query: '?from=usd' })
    for (const { method, path } of offered.filter((operation) =>
      /\{(customer|webhook|virtualAcc)/.test(operation.path),
    )) {
      if (!(path.includes('associated_persons') || method === 'DELETE')) {
        await call(method, path, 404, method === 'GET' ? {} : { body: path.endsWith('send') ? { event_id: 'x' } : {} })
      }
    }
  })

  test('a body that cannot be taken, and an account that may not be opened', async () => {
    const { id: customerID } = await approvedCustomer(sandbox, { endorsements: ['base'] })
    const [accounts, ids] = ['/customers/{customerID}/virtual_accounts', { customerID }]
    await call('PUT', '/customers/{customerID}', 400, { ids, body: { first_name: '' } })
    await call('POST', accounts, 400, { ids, body: {} })
    await call('POST', accounts, 403, { ids, body: accountBody('mxn') })
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
        judge.judgeAnswer('GET', '/customers/{customerID}', 200, { ...customer, ...change })
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
    const documented = offered.flatMap(({ method, path, statuses }) =>
      statuses.map((status) => `${method} ${path} ${status}`),
    )
    // A list has no id that could be unknown.
    const impossible = ['GET /kyc_links 404']
    assert.deepEqual(
      documented.filter((answer) => !seen.has(answer) && !impossible.includes(answer)),
      [],
    )
  })

  test('WIRE.md lists the deviations that occurred, and no others', () => {
    assert.deepEqual(listedUnder('Responses').sort(), Object.keys(deviations.answers).sort())
    assert.deepEqual(
      [...judge.occurred].filter((place) => place in deviations.answers).sort(),
      Object.keys(deviations.answers).sort(),
    )
    assert.deepEqual(listedUnder('Statuses').sort(), Object.keys(deviations.statuses).sort())
    assert.deepEqual([...occurred].sort(), Object.keys(deviations.statuses).sort())
  })

  test('WIRE.md lists the operations that the document does not have, and no others', () => {
    const parts = {} as Parameters<typeof wireOperations>[0]
    const names = wireOperations(parts).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    const documented = new Set(judge.operations.map(({ method, path }) => `${method} ${path}`))
    assert.deepEqual(names.filter((name) => !documented.has(name)).sort(), deviations.operations.toSorted())
    assert.deepEqual(listedUnder('Additional operations').sort(), deviations.operations.toSorted())
    assert.equal(offered.length + deviations.operations.length, names.length, 'each one is called above')
  })
})
