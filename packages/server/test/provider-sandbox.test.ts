// The provider client against the sandbox as a separate process: two separately written implementations of one wire
// format must agree.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { ProviderClient } from '../src/provider/bridge/client.ts'
import { createProviderClient } from '../src/provider/bridge/client.ts'
import { failureOf } from './provider-world.ts'

const entry = resolve(import.meta.dirname, '../../sandbox/bin/sandbox.js')

const READY_MS_MAX = 20_000

type Sandbox = AsyncDisposable & { baseUrl: string; apiKey: string }

async function startSandbox(): Promise<Sandbox> {
  const child = spawn(process.execPath, [entry, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  const late = setTimeout(() => child.kill('SIGKILL'), READY_MS_MAX)
  for await (const line of createInterface(child.stdout)) {
    const ready: unknown = line.startsWith('{') ? JSON.parse(line) : null
    if (!isReady(ready)) continue
    clearTimeout(late)
    child.stdout.resume()
    return { baseUrl: `${ready.url}/v0`, apiKey: ready.apiKey, [Symbol.asyncDispose]: stop }
  }
  throw new Error('the sandbox ended before it was ready')
}

function isReady(line: unknown): line is { url: string; apiKey: string } {
  return typeof line === 'object' && line !== null && 'ready' in line && 'url' in line && 'apiKey' in line
}

/** Approval without a human: only the provider's sandbox has it, so the port does not. */
async function approve(sandbox: Sandbox, customerId: string): Promise<void> {
  const answer = await fetch(`${sandbox.baseUrl}/customers/${customerId}/simulate_kyc_approval`, {
    method: 'POST',
    headers: { 'api-key': sandbox.apiKey, 'idempotency-key': randomUUID() },
  })
  assert.equal(answer.status, 200, await answer.text())
}

const fresh = () => ({ key: randomUUID() })
const usdToBase = {
  sourceCurrency: 'usd',
  destination: { paymentRail: 'base', currency: 'usdc', address: '0x742d35Cc6634C0532925a3b844Bc454e4438f44e' },
  developerFeePercent: '0.5',
}

const address = {
  street_line_1: '1 Main Street',
  city: 'Oakland',
  subdivision: 'CA',
  postal_code: '94607',
  country: 'USA',
}
const personOf = (email: string) => ({
  first_name: 'Bea',
  last_name: 'Lee',
  email,
  birth_date: '1980-01-15',
  residential_address: address,
  identifying_information: [{ type: 'ssn', issuing_country: 'USA', number: '219099999' }],
  has_ownership: true,
  has_control: true,
  is_signer: true,
  title: 'Director',
})
const companyOf = (people: ReturnType<typeof personOf>[]) => ({
  type: 'business',
  business_legal_name: 'Works Inc.',
  business_trade_name: 'Works',
  business_description: 'Builds works',
  email: 'office@example.com',
  business_type: 'corporation',
  business_industry: ['541511'],
  registered_address: address,
  physical_address: address,
  signed_agreement_id: randomUUID(),
  is_dao: false,
  associated_persons: people,
  identifying_information: [],
  documents: [],
  has_material_intermediary_ownership: false,
  account_purpose: 'treasury_management',
  source_of_funds: 'grants',
})

describe('the provider client against the sandbox', () => {
  let sandbox: Sandbox
  let provider: ProviderClient
  const called = new Set<string>(['close', 'during'])

  before(async () => {
    sandbox = await startSandbox()
    provider = new Proxy(createProviderClient(sandbox), {
      get(client, name: keyof ProviderClient) {
        called.add(name)
        return client[name]
      },
    })
  })
  after(async () => {
    await provider.close()
    await sandbox[Symbol.asyncDispose]()
  })

  async function createCustomer(email: string) {
    const body = {
      type: 'individual',
      first_name: 'Ann',
      last_name: 'Lee',
      email,
      birth_date: '1990-01-15',
      signed_agreement_id: randomUUID(),
      client_reference_id: `ref-${email}`,
      residential_address: address,
      endorsements: ['base', 'sepa', 'spei', 'pix', 'faster_payments', 'cop'],
    }
    return await provider.createCustomer(body, fresh())
  }

  async function approvedCustomer(email: string) {
    const customer = await createCustomer(email)
    await approve(sandbox, customer.id)
    return await provider.getCustomer(customer.id)
  }

  test('links to the terms and to the verification are web pages', async () => {
    const customer = await createCustomer('links@example.com')
    const links = [
      await provider.createTosLink(fresh()),
      await provider.getTosAcceptanceLink(customer.id),
      await provider.getCustomerKycLink(customer.id),
      await provider.getCustomerKycLink(customer.id, { endorsement: 'sepa', redirectUri: 'https://example.com/back' }),
    ]
    for (const { url } of links) assert.match(new URL(url).protocol, /^https?:$/)
  })

  test('the occupations are listed, each with its code', async () => {
    const occupations = await provider.listOccupations()
    assert.ok(occupations.some(({ code, name }) => code === '132011' && name === 'Accountant and auditor'))
  })

  test('a customer is created, read, found, changed, approved and deleted', async () => {
    const email = 'walk@example.com'
    const created = await createCustomer(email)
    assert.equal(created.type, 'individual')
    assert.equal(created.clientReferenceId, `ref-${email}`)
    assert.deepEqual(
      (await provider.findCustomersByEmail(email)).map(({ id }) => id),
      [created.id],
    )
    assert.deepEqual(await provider.findCustomersByEmail('nobody@example.com'), [])
    const changed = await provider.updateCustomer(created.id, { type: 'individual', first_name: 'Anna' })
    assert.equal(changed.id, created.id)
    await provider.simulateKycApproval(created.id, fresh())
    const approved = await provider.getCustomer(created.id)
    assert.equal(approved.status, 'active')
    assert.equal(approved.endorsements.find(({ name }) => name === 'base')?.status, 'approved')
    await provider.deleteCustomer(created.id)
    assert.equal((await failureOf(provider.getCustomer(created.id))).kind, 'not_found')
  })

  test('a KYC link is created and read, and a second one for the address names the first', async () => {
    const input = { email: 'link@example.com', type: 'individual', fullName: 'Link Lee' } as const
    const link = await provider.createKycLink(input, fresh())
    assert.ok(link.kycLink && link.tosLink)
    assert.equal(link.tosStatus, 'pending')
    assert.deepEqual(await provider.getKycLink(link.id), link)
    const failure = await failureOf(provider.createKycLink(input, fresh()))
    assert.equal(failure.kind, 'rejected')
    assert.equal(failure.code, 'duplicate_record')
    assert.equal(failure.existingPage?.id, link.id)
  })

  test('a virtual account is created, listed, changed, switched off and on, and its history tells', async () => {
    const { id: customerId } = await approvedCustomer('account@example.com')
    const account = await provider.createVirtualAccount(customerId, usdToBase, fresh())
    assert.equal(account.status, 'activated')
    assert.equal(account.instructions.currency, 'usd')
    assert.ok(account.instructions.accountNumber && account.instructions.routingNumber)
    assert.equal(account.developerFeePercent, '0.5')
    assert.equal(account.destination.address, usdToBase.destination.address)
    assert.deepEqual(await provider.getVirtualAccount(customerId, account.id), account)
    const listed = (accounts: unknown[]) => ({ accounts, unreadable: 0 })
    assert.deepEqual(await provider.listVirtualAccounts(customerId, { limit: 10 }), listed([account]))
    assert.deepEqual(await provider.listVirtualAccounts(customerId, { startingAfter: account.id }), listed([]))
    const changed = await provider.updateVirtualAccount(customerId, account.id, { developerFeePercent: '1.5' })
    assert.equal(changed.developerFeePercent, '1.5')
    assert.equal((await provider.deactivateVirtualAccount(customerId, account.id, fresh())).status, 'deactivated')
    assert.equal((await provider.reactivateVirtualAccount(customerId, account.id, fresh())).status, 'activated')
    const activities = await provider.listActivity(customerId, account.id, { limit: 100 })
    const types = activities.map(({ activity }) => activity.type)
    assert.ok(types.includes('deactivation') && types.includes('activation'), types.join())
    for (const each of activities) assert.equal(each.virtualAccountId, account.id)
    const [newest, ...older] = await provider.listAllActivity({ limit: 100 })
    assert.equal(newest?.activity.id, activities[0]?.activity.id)
    const rest = await provider.listAllActivity({ limit: 100, ...(newest && { startingAfter: newest.activity.id }) })
    assert.deepEqual(rest, older)
  })

  test('a company is created with its people, who are listed, added and changed one by one', async () => {
    const person = personOf('control@example.com')
    const { id } = await provider.createCustomer(companyOf([person]), fresh())
    const [first] = await provider.listAssociatedPersons(id)
    assert.equal(first?.email, person.email)
    const added = await provider.createAssociatedPerson(id, personOf('owner@example.com'), fresh())
    const renamed = { ...personOf('renamed@example.com'), is_signer: false }
    const changed = await provider.updateAssociatedPerson(id, added.id, renamed)
    assert.deepEqual([changed.id, changed.email], [added.id, renamed.email])
    const ids = (await provider.listAssociatedPersons(id)).map((each) => each.id)
    assert.deepEqual(ids, [first?.id, added.id])
    const partly = await provider.updateCustomer(id, { account_purpose: 'payroll', endorsements: ['spei'] })
    assert.ok(partly.endorsements.some(({ name }) => name === 'spei'))
  })

  const identifiers = {
    eur: ['iban', 'bic'],
    mxn: ['clabe'],
    brl: ['pixCode'],
    gbp: ['accountNumber', 'sortCode'],
    cop: ['breBKey'],
  } as const
  for (const [sourceCurrency, names] of Object.entries(identifiers))
    test(`deposit instructions in ${sourceCurrency} hold what a payer needs`, async () => {
      const { id } = await approvedCustomer(`${sourceCurrency}@example.com`)
      const account = await provider.createVirtualAccount(id, { ...usdToBase, sourceCurrency }, fresh())
      assert.equal(account.instructions.currency, sourceCurrency)
      assert.ok((account.instructions.paymentRails ?? []).length > 0)
      for (const name of names) assert.ok(account.instructions[name], name)
    })

  test('the same key replays the same object; with another body it is refused', async () => {
    const { id } = await approvedCustomer('replay@example.com')
    const write = fresh()
    const first = await provider.createVirtualAccount(id, usdToBase, write)
    assert.deepEqual(await provider.createVirtualAccount(id, usdToBase, write), first)
    const other = { ...usdToBase, developerFeePercent: '9' }
    assert.equal((await failureOf(provider.createVirtualAccount(id, other, write))).kind, 'rejected')
    assert.equal((await provider.listVirtualAccounts(id)).accounts.length, 1)
  })

  test('a webhook is created disabled with a key, listed and changed', async () => {
    const input = {
      url: 'https://example.com/hook',
      eventEpoch: 'webhook_creation',
      eventCategories: ['customer'],
    } as const
    const webhook = await provider.createWebhook({ ...input, eventCategories: [...input.eventCategories] }, fresh())
    assert.equal(webhook.status, 'disabled')
    assert.match(webhook.publicKey ?? '', /^-----BEGIN PUBLIC KEY-----\n[\s\S]+\n-----END PUBLIC KEY-----\n$/)
    assert.ok((await provider.listWebhooks()).some(({ id }) => id === webhook.id))
    const changed = await provider.updateWebhook(webhook.id, { url: 'https://example.com/other' })
    assert.equal(changed.url, 'https://example.com/other')
  })

  test('the record of events is read from its beginning in pages, and goes on after a known event', async () => {
    await createCustomer('events@example.com')
    const all = await provider.listWebhookEvents({ limit: 500 })
    assert.ok(all.answeredAtMs !== null && all.events.length >= 2)
    const sequences = all.events.map(({ rawBody }) => Number(JSON.parse(rawBody.toString()).event_sequence))
    assert.deepEqual(
      sequences,
      sequences.toSorted((one, other) => one - other),
    )
    for (const { eventId, rawBody } of all.events) assert.equal(JSON.parse(rawBody.toString()).event_id, eventId)
    const [first, second] = all.events
    assert.deepEqual((await provider.listWebhookEvents({ limit: 1 })).events, [first])
    const next = await provider.listWebhookEvents({ limit: 1, startingAfter: first?.eventId ?? '' })
    assert.deepEqual(next.events, [second])
    const last = all.events.at(-1)?.eventId ?? ''
    assert.deepEqual((await provider.listWebhookEvents({ startingAfter: last })).events, [])
    assert.equal((await failureOf(provider.listWebhookEvents({ startingAfter: 'wh_forgotten' }))).kind, 'rejected')
  })

  test('an event is sent once more when we ask for it', async () => {
    const { id } = await provider.createWebhook(
      { url: 'https://example.com/again', eventEpoch: 'webhook_creation' },
      fresh(),
    )
    const [event] = (await provider.listWebhookEvents({ limit: 1 })).events
    await provider.sendWebhookEvent(id, event?.eventId ?? '', fresh())
    assert.equal((await failureOf(provider.sendWebhookEvent(id, 'wh_unknown', fresh()))).kind, 'not_found')
  })

  test('refusals come with the kind, code and fields that the services act upon', async () => {
    const stranger = createProviderClient({ ...sandbox, apiKey: 'sk-test-wrong' })
    assert.equal((await failureOf(stranger.listWebhooks())).kind, 'unauthorized')
    await stranger.close()
    assert.equal((await failureOf(provider.getCustomer('nobody'))).kind, 'not_found')
    const { id } = await approvedCustomer('refused@example.com')
    const wrong = { ...usdToBase, sourceCurrency: 'xyz' }
    const failure = await failureOf(provider.createVirtualAccount(id, wrong, fresh()))
    assert.equal(failure.kind, 'rejected')
    assert.equal(failure.code, 'invalid_parameters')
    assert.deepEqual(Object.keys(failure.fields), ['source.currency'])
    const unready = await createCustomer('unready@example.com')
    assert.equal((await failureOf(provider.createVirtualAccount(unready.id, usdToBase, fresh()))).kind, 'rejected')
  })

  test('a request for information is listed while it is on us, and read', async () => {
    const { id: customerId } = await approvedCustomer('asked@example.com')
    const answer = await fetch(`${new URL(sandbox.baseUrl).origin}/_sandbox/rfis`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ customer_id: customerId }),
    })
    const { id } = (await answer.json()) as { id: string }
    const [listed] = await provider.listInformationRequestsOnUs({ limit: 10 })
    assert.deepEqual([listed?.id, listed?.state, listed?.customerId], [id, 'action_required', customerId])
    assert.deepEqual(await provider.getInformationRequest(id), listed)
  })

  test('every method of the port was spoken', () => {
    assert.deepEqual([...called].sort(), Object.keys(createProviderClient(sandbox)).sort())
  })
})
