// The emulator refuses every request body that the document refuses: each valid body is broken in every way that the
// document's schema describes, one at a time.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { endorsementNames } from '../src/bridge/customers/rows.ts'
import { chains, fiatCurrencies, stablecoins } from '../src/bridge/virtual-accounts/currencies.ts'
import { eventCategories } from '../src/bridge/webhooks/rows.ts'
import { accountBody, approvedCustomer, associatedPerson, business, type Fields, individual, pngUri } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { deviations, listedUnder, type Schema } from './wire-deviations.ts'
import { type Judge, readReference, withoutReference } from './wire-reference.ts'

type Sample = { method: string; template: string; ids?: Record<string, string>; body: Fields }

const fullIndividual = (): Fields =>
  individual({
    middle_name: 'King',
    phone: '+12223334444',
    account_purpose: 'receive_salary',
    employment_status: 'employed',
    expected_monthly_payments_usd: '0_4999',
    acting_as_intermediary: false,
    most_recent_occupation: '132011',
    source_of_funds: 'salary',
    nationality: 'USA',
    documents: [{ purposes: ['proof_of_address'], file: pngUri(300, 200) }],
  })

describe('requests', { skip: withoutReference }, () => {
  let sandbox: Sandbox
  let judge: Judge
  let customerID: string
  let companyID: string
  before(async () => {
    sandbox = await startSandbox()
    judge = readReference(deviations)
    customerID = (await approvedCustomer(sandbox, { endorsements: endorsementNames })).id
    companyID = (await sandbox.wire('POST', '/customers', { body: business() })).body.id
  })
  after(() => sandbox.stop())

  const send = ({ method, template, ids = {}, body }: Sample) =>
    sandbox.wire(
      method,
      template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'unknown'),
      { body },
    )

  /** Sends a body and validates the body when it is accepted. */
  const judged = async (sample: Sample): Promise<number> => {
    const { status } = await send(sample)
    if (status < 300) judge.judgeRequest(sample.method, sample.template, sample.body)
    return status
  }

  /** Returns every body that differs from `body` in one property and breaks the schema. */
  const spoilt = function* (schema: Schema, body: Fields): Generator<Fields> {
    const {
      required = [],
      properties = {},
      allOf = [],
    } = judge.resolve(schema) as {
      required?: string[]
      properties?: Record<string, Schema>
      allOf?: Schema[]
    }
    for (const part of allOf) yield* spoilt(part, body)
    for (const name of required) yield { ...body, [name]: undefined }
    for (const [name, described] of Object.entries(properties)) {
      for (const value of wrongValues(judge.resolve(described))) yield { ...body, [name]: value }
      const [present] = [body[name]].flat()
      if (typeof present !== 'object' || present === null) continue
      const isList = Array.isArray(body[name])
      const items = isList ? (judge.resolve(described)['items'] as Schema) : described
      for (const inner of spoilt(items, present as Fields)) yield { ...body, [name]: isList ? [inner] : inner }
    }
  }

  const wrongValues = ({ type, enum: values, minLength, maxLength }: Schema): unknown[] => [
    type === 'string' ? 7 : 'nonsense',
    ...(values === undefined ? [] : ['nonsense']),
    ...(Number(minLength) > 1 ? ['x'.repeat(Number(minLength) - 1)] : []),
    ...(Number(minLength) === 1 ? [''] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(Number(maxLength) + 1)]),
  ]

  const samples: [name: string, sample: () => Sample | Promise<Sample>][] = [
    ['a new person', () => ({ method: 'POST', template: '/customers', body: fullIndividual() })],
    [
      'a person changed',
      () => ({ method: 'PUT', template: '/customers/{customerID}', ids: { customerID }, body: fullIndividual() }),
    ],
    ['a new company', () => ({ method: 'POST', template: '/customers', body: business() })],
    [
      'a whole company changed',
      () => ({ method: 'PUT', template: '/customers/{customerID}', ids: { customerID: companyID }, body: business() }),
    ],
    [
      'a company changed in part',
      () => ({
        method: 'PUT',
        template: '/customers/{customerID}',
        ids: { customerID: companyID },
        body: {
          account_purpose: 'payroll',
          documents: business()['documents'],
          high_risk_activities: ['none_of_the_above'],
        },
      }),
    ],
    [
      'a new person of a company',
      () => ({
        method: 'POST',
        template: '/customers/{customerID}/associated_persons',
        ids: { customerID: companyID },
        body: associatedPerson(),
      }),
    ],
    [
      'a person of a company changed',
      async () => {
        const { body } = await sandbox.wire('GET', `/customers/${companyID}/associated_persons`)
        const ids = { customerID: companyID, associatedPersonID: body.data[0]?.id ?? '' }
        return {
          method: 'PUT',
          template: '/customers/{customerID}/associated_persons/{associatedPersonID}',
          ids,
          body: associatedPerson(),
        }
      },
    ],
    [
      'a new virtual account',
      () => ({
        method: 'POST',
        template: '/customers/{customerID}/virtual_accounts',
        ids: { customerID },
        body: accountBody('usd', { developer_fee_percent: '0.1' }),
      }),
    ],
    [
      'a virtual account changed',
      async () => {
        const path = `/customers/${customerID}/virtual_accounts`
        const { body } = await sandbox.wire('POST', path, { body: accountBody('usd') })
        return {
          method: 'PUT',
          template: '/customers/{customerID}/virtual_accounts/{virtualAccountID}',
          ids: { customerID, virtualAccountID: body.id },
          body: { destination: { address: '0x27b1' }, developer_fee_percent: '2' },
        }
      },
    ],
    [
      'a KYC link',
      () => ({
        method: 'POST',
        template: '/kyc_links',
        body: { email: `${randomUUID()}@example.com`, type: 'individual', full_name: 'Ada' },
      }),
    ],
    [
      'a webhook',
      () => ({
        method: 'POST',
        template: '/webhooks',
        body: { url: 'https://example.com/', event_epoch: 'webhook_creation' },
      }),
    ],
  ]
  for (const [name, sample] of samples) {
    test(`${name}: what the document refuses is refused`, async () => {
      const right = await sample()
      const { method, template, body } = right
      assert.ok((await judged(right)) < 300, JSON.stringify((await send(right)).body))
      const schema = judge.requestSchema(method, template, body)
      assert.ok(schema)
      let refused = 0
      for (const wrong of spoilt(schema, body)) {
        if (judge.complaintsAbout(method, template, wrong).length === 0) continue
        // A new email each time, because a used email is refused for another reason.
        const fresh =
          'email' in body && typeof wrong['email'] === 'string' && wrong['email'] === body['email']
            ? { ...wrong, email: `${randomUUID()}@example.com` }
            : wrong
        const status = await judged({ ...right, body: fresh })
        refused += status === 400 ? 1 : 0
      }
      assert.ok(refused > 3, `${refused} were refused`)
    })
  }

  test('every value that the provider added later is taken', async () => {
    const accounts = { method: 'POST', template: '/customers/{customerID}/virtual_accounts', ids: { customerID } }
    const to = (currency: string, payment_rail: string) => ({ destination: { currency, payment_rail, address: 'x' } })
    const bodies: Sample[] = [
      ...endorsementNames.map((name) => ({
        method: 'POST',
        template: '/customers',
        body: individual({ endorsements: [name] }),
      })),
      ...fiatCurrencies.map((currency) => ({ ...accounts, body: accountBody(currency) })),
      ...chains.map((chain) => ({
        ...accounts,
        body: accountBody('usd', to(chain === 'tron' ? 'usdt' : 'usdc', chain)),
      })),
      ...stablecoins.map((coin) => ({
        ...accounts,
        body: accountBody('usd', to(coin, coin === 'usdl_linea' ? 'linea' : 'ethereum')),
      })),
      {
        method: 'POST',
        template: '/webhooks',
        body: { url: 'https://example.com/', event_epoch: 'webhook_creation', event_categories: eventCategories },
      },
    ]
    for (const sample of bodies) assert.ok((await judged(sample)) < 300, JSON.stringify(sample.body))
  })

  test('WIRE.md lists the deviations that occurred, and no others', () => {
    assert.deepEqual(listedUnder('Requests').sort(), Object.keys(deviations.requests).sort())
    const occurred = [...judge.occurred].filter((place) => place in deviations.requests)
    assert.deepEqual(occurred.sort(), Object.keys(deviations.requests).sort())
  })
})
