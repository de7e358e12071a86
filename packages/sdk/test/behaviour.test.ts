// The SDK against the real server: a person from the first request to a completed deposit.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { idImage } from '../../cli/src/demo/image.ts'
import { kycBody, solanaWallet } from '../../server/test/people.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import { Causeway, ConflictError, type EndUser, NotFoundError, ValidationError } from '../src/index.ts'

let world: World
let api: Causeway
before(async () => {
  world = await openWorld({ env: { WEBHOOK_SIGNATURE_SCHEMES: 'v1,v1a' } })
  api = new Causeway({ baseUrl: world.url, apiKey: world.business.apiKey })
})
after(() => world.stop())

/** Reads the stream from its beginning up to the event that fits. */
async function untilEvent<T>(type: string, wants: (data: T) => boolean): Promise<T> {
  for await (const event of api.events.stream({ signal: AbortSignal.timeout(15_000) })) {
    const data = event.payload['data'] as T
    if (event.eventType === type && wants(data)) return data
  }
  return assert.fail(`no ${type} came`)
}

test('a person is onboarded with files, an account opened once, and a deposit followed to its end', async () => {
  const externalUserId = 'ada/1 é'
  await api.endUsers.create({ externalUserId, email: 'ada@example.com', metadata: { shop: 'north' } })
  assert.equal((await api.endUsers.get(externalUserId)).nextAction.kind, 'accept_tos')

  const { tosLink } = await api.endUsers.createTosLink(externalUserId)
  const agreement = (await world.provider.control('POST', '/terms/accept', { link: tosLink })).body.signed_agreement_id
  const body = kycBody(agreement, 'ada')
  const [ssn, license] = body['identifying_information'] as [unknown, Record<string, unknown>]
  const { image_front: _front, image_back: _back, ...named } = license
  const image = new Blob([Buffer.from(idImage().split(',')[1] ?? '', 'base64')], { type: 'image/png' })
  const files = { 'identifying_information[1].image_front': image, 'identifying_information[1].image_back': image }
  const sent = { ...body, identifying_information: [ssn, named] } as never

  const judged = await api.kyc.submit(externalUserId, sent, { dryRun: true, files })
  assert.deepEqual(judged.requirements.currentlyDue, [])
  assert.equal(judged.kycStatus, 'not_started', 'a dry run sends nothing')
  await api.kyc.submit(externalUserId, sent, { files })
  await untilEvent<EndUser>('end_user.kyc.updated', (user) => user.rails['usd'] === 'active')

  const opening = {
    externalUserId,
    source: { currency: 'usd' },
    destination: solanaWallet,
    developer_fee_percent: '0.5',
  }
  const account = await api.virtualAccounts.create(opening, { idempotencyKey: 'order-1' })
  assert.equal((await api.virtualAccounts.create(opening, { idempotencyKey: 'order-1' })).id, account.id)
  assert.ok((await api.virtualAccounts.depositInstructions(account.id)).instructions.length > 0)

  await api.sandbox.simulateDeposit({ virtualAccountId: account.id, amount: '1000.00' })
  await untilEvent<{ status: string }>('virtual_account.payment.received', ({ status }) => status === 'completed')
  const [deposit] = await api.virtualAccounts.deposits(account.id, { status: 'completed' }).toArray({ max: 10 })
  assert.equal(deposit?.developerFee?.value, '5.00')

  await api.sandbox.simulateDeposit({ virtualAccountId: account.id, amount: '7.00' })
  await untilEvent<{ grossAmount: { value: string } | null }>(
    'virtual_account.payment.received',
    ({ grossAmount }) => grossAmount?.value === '7.00',
  )
  const pages: string[] = []
  for await (const page of api.deposits.csv({ limit: 1 })) pages.push(page)
  assert.equal(pages.length, 2)
  const lines = pages.join('').trimEnd().split('\r\n')
  assert.deepEqual(
    lines.map((line) => line.split(',')[9]),
    ['grossAmount', '7.00', '1000.00'],
  )

  const day = deposit?.completedAt?.slice(0, 10) ?? ''
  const completed = await api.reports.deposits(day).toArray({ max: 10 })
  assert.equal(completed[0]?.id, deposit?.id)
  const { paidIn, differences } = await api.reports.depositSums(day)
  assert.deepEqual([paidIn[0]?.currency, differences], ['usd', []])
  const file = await api.reports.depositsCsv(day).next()
  assert.match(String(file.value), /,difference,differenceAmount\r\n/)
})

test('a list of the server is read to its end, page by page, and by a label', async () => {
  const names = ['list-1', 'list-2', 'list-3']
  for (const externalUserId of names) {
    const plan = externalUserId === 'list-2' ? 'gold' : 'silver'
    await api.endUsers.create({ externalUserId, metadata: { plan } })
  }
  const found: string[] = []
  for await (const user of api.endUsers.list({ limit: 1 })) found.push(user.externalUserId)
  assert.deepEqual(found.slice(0, 3), names.toReversed())
  const labelled = await api.endUsers.list({ metadata: { plan: 'gold' } }).toArray({ max: 10 })
  assert.deepEqual(
    labelled.map(({ externalUserId }) => externalUserId),
    ['list-2'],
  )
  const first = await api.endUsers.list({ limit: 2 })
  assert.equal((await first.next())?.data[0]?.externalUserId, 'list-1')
})

test('refusals of the server arrive as classes, with code, request id and every field at fault', async () => {
  const missing = await api.endUsers.get('nobody').catch((error: unknown) => error)
  assert.ok(missing instanceof NotFoundError)
  assert.equal(missing.code, 'holder_not_found')
  assert.match(missing.requestId ?? '', /^req_/)

  await api.endUsers.create({ externalUserId: 'twice' })
  await assert.rejects(api.endUsers.create({ externalUserId: 'twice' }), ConflictError)

  const wrong = { externalUserId: '', emial: 'ada@example.com' } as never
  const invalid = await api.endUsers.create(wrong).catch((error: unknown) => error)
  assert.ok(invalid instanceof ValidationError)
  assert.deepEqual(invalid.details.map(({ param }) => param).sort(), ['emial', 'externalUserId'])
})
