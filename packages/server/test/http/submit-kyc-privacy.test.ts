// submitKyc: an end-user's data passes through to the provider, and is found nowhere in Causeway afterwards: in no
// response, log line or metric, no row or file of the database, no event. Whatever happens to the submission. One fact
// stays, as two booleans: whether the addresses are in the EEA.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { idImage } from '../../../cli/src/demo/image.ts'
import { type Answer, dataOf, until } from '../caller.ts'
import { canaryPrefix, searchDatabaseFiles } from '../canary-search.ts'
import { freshUserId, userPath } from '../people.ts'
import { openReceiver, type Received } from '../receiver.ts'
import { startCluster } from '../test-database.ts'
import { openWorld } from '../world.ts'

// Every file of the database server is searched: a separate one has few.
const cluster = await startCluster()
const env = { PROVIDER_TIMEOUT_MS: '1500', KYC_SUBMISSIONS_PER_MINUTE: '1000' }
const world = await openWorld({ alone: true, env, cluster: cluster.connection })
after(async () => {
  await world.stop()
  await cluster.stop()
})

/** Receivers that respond to each event with the event: a success, a failure with a retry, a final failure. */
const echoing = [
  { status: 200, headers: {} },
  { status: 500, headers: {} },
  { status: 500, headers: { 'svc-retry': 'stop' } },
].map(({ status, headers }) => openReceiver(({ body }: Received) => ({ status, headers, body: `received ${body}` })))
const receivers = await Promise.all(echoing)
for (const { url } of receivers) dataOf(await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl: url }))
after(() => Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]())))

/** A text that nothing else holds. */
const canary = () => `Zq${randomUUID().replaceAll('-', '').slice(0, 12)}`
const digits = () => String(Math.floor(1e8 + Math.random() * 9e8))

/** A picture with a canary in it, and how that reads in base64. */
function picture(): { uri: string; mark: string } {
  const [head = '', data = ''] = idImage().split(',')
  const bytes = Buffer.from(data, 'base64')
  const mark = Buffer.from(canaryPrefix + canary() + canary()).toString('base64')
  const padding = Buffer.alloc((3 - (bytes.length % 3)) % 3) // so that the mark begins a group of four
  return { uri: `${head},${Buffer.concat([bytes, padding]).toString('base64')}${mark}`, mark: mark.slice(0, 24) }
}

/** A body with a canary in every place that takes a text of one's own. */
function markedBody() {
  const [front, back, selfie, lease] = [picture(), picture(), picture(), picture()]
  // The provider's events name its customer: these the business is sent byte for byte, and they are sealed at rest.
  const named = { first_name: canary(), middle_name: canary(), last_name: canary(), email: `${canary()}@example.com` }
  const address = () => ({ street_line_1: canary(), street_line_2: canary(), city: canary() })
  // A ZIP+4: five digits alone occur in a database by chance.
  const postalCode = `94105-${digits().slice(0, 4)}`
  const hidden = {
    transliterated_first_name: canary(),
    transliterated_middle_name: canary(),
    transliterated_last_name: canary(),
    phone: `+1${digits()}7`,
    residential_address: { ...address(), subdivision: 'CA', postal_code: postalCode, country: 'USA' },
    // A country without postal codes: any text is one.
    transliterated_residential_address: { ...address(), postal_code: canary(), country: 'HKG' },
    birth_date: '1953-07-19',
    place_of_birth: { country: 'GBR', city: canary() },
    account_purpose_other: canary(),
    most_recent_occupation: canary(),
    a_property_of_tomorrow: { deep: [canary()] },
    client_reference_id: canary(),
    identifying_information: [
      { type: 'ssn', issuing_country: 'USA', number: digits() },
      { type: 'other', issuing_country: 'USA', number: canary(), description: canary() },
      {
        type: 'passport',
        issuing_country: 'USA',
        number: canary(),
        expiration: '2041-11-03',
        image_front: front.uri,
        image_back: back.uri,
      },
    ],
    liveness_check_selfies: [{ image: selfie.uri }],
    documents: [{ purposes: ['proof_of_address'], file: lease.uri, description: canary() }],
  }
  return { named, hidden, pictures: [front, back, selfie, lease].map(({ mark }) => mark) }
}

type Marked = ReturnType<typeof markedBody>

const plainWords = new Set(['ssn', 'other', 'passport', 'USA', 'GBR', 'HKG', 'CA', 'proof_of_address'])

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('data:') || plainWords.has(value) ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

const everything: Marked[] = []
const answers: Answer[] = []

async function submit(user: string, change: Record<string, unknown> = {}, query = ''): Promise<Answer> {
  const marked = markedBody()
  everything.push(marked)
  const body = { ...marked.named, ...marked.hidden, signed_agreement_id: randomUUID(), ...change }
  const answer = await world.business.call('POST', userPath(user, `/submit-kyc${query}`), body)
  answers.push(answer)
  return answer
}

async function candidate(): Promise<string> {
  const externalUserId = freshUserId()
  dataOf(await world.business.call('POST', '/v0/end-users', { externalUserId }))
  return externalUserId
}

/** Every row of every table, as text; bytes are read as text too. */
async function wholeDatabase(): Promise<Map<string, string[]>> {
  return await world.inside.db.read(async (query) => {
    const tables = await query<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public'`
    const dump = new Map<string, string[]>()
    for (const { name } of tables) {
      const rows = await query`select * from ${query.names(name)}`
      dump.set(
        name,
        rows.map((row) => Object.values(row).map(textOfColumn).join('\n')),
      )
    }
    return dump
  })
}

function textOfColumn(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(JSON.stringify(value))
}

test('200 taken and approved, with every event delivered', async () => {
  const user = await candidate()
  assert.equal((await submit(user, {}, '?dryRun=true')).status, 200)
  const taken = await submit(user)
  assert.equal(taken.status, 200, taken.text)
  await until('the approval', async () => {
    const shown = await world.business.call('GET', userPath(user))
    answers.push(shown)
    return dataOf(shown).kycStatus === 'approved'
  })
  answers.push(await world.business.call('GET', userPath(user, '/kyc-links')))
})

test('400 refused by us, at each field in turn', async () => {
  const user = await candidate()
  for (const name of [...Object.keys(markedBody().named), ...Object.keys(markedBody().hidden)]) {
    if (name === 'a_property_of_tomorrow') continue
    const answer = await submit(user, { [name]: [{ wrong: canary() }] })
    assert.equal(answer.status, 400, `${name}: ${answer.text}`)
  }
})

test('422 refused by the provider, which repeats everything it was sent', async () => {
  const user = await candidate()
  const marked = markedBody()
  everything.push(marked)
  const body = { ...marked.named, ...marked.hidden, signed_agreement_id: randomUUID() }
  const { client_reference_id: _, ...received } = body // ours goes out in its place
  const texts = textsOf(received)
  const echo = Object.fromEntries(texts.map((text, index) => [`field_${index}`, `the value ${text} is odd`]))
  const names = Object.fromEntries(texts.map((text) => [text, 'is odd']))
  for (const key of [echo, names]) {
    const refusal = { code: 'invalid_parameters', message: JSON.stringify(body), source: { location: 'body', key } }
    await world.provider.fails({ method: 'POST', path: '^/v0/customers$', mode: 'status', status: 400, body: refusal })
    const answer = await world.business.call('POST', userPath(user, '/submit-kyc'), body)
    assert.equal(answer.status, 422, answer.text)
    answers.push(answer)
  }
})

test('500, 503, 504 lost on the way, in every way', async () => {
  for (const order of [
    { mode: 'cut_before', times: 2 },
    { mode: 'cut_after', times: 2 },
    { mode: 'hang' },
    { mode: 'garbage' },
    { mode: 'status', status: 500 },
  ]) {
    const user = await candidate()
    await world.provider.fails({ method: 'POST', path: '^/v0/customers$', ...order })
    assert.ok((await submit(user)).status >= 500)
    await submit(user)
  }
})

test('400, 404, 415 never understood at all', async () => {
  const user = await candidate()
  const marked = markedBody()
  everything.push(marked)
  const text = JSON.stringify({ ...marked.named, ...marked.hidden })
  const headers = { 'content-type': 'application/json' }
  const path = userPath(user, '/submit-kyc')
  answers.push(await world.business.call('POST', path, undefined, { raw: text.slice(0, -1), headers }))
  answers.push(
    await world.business.call('POST', path, undefined, { raw: text, headers: { 'content-type': 'text/plain' } }),
  )
  await submit(freshUserId())
  assert.deepEqual(
    answers.slice(-3).map(({ status }) => status),
    [400, 415, 404],
  )
})

// After all of the above.
test('nothing of it is found on our side', async () => {
  await until('the events to be worked off', async () => {
    const { events } = (await world.provider.control('GET', '/state')).body
    const rows = await world.rows`
        select 1 from events e
        where trust <> 'own' and not exists (select 1 from event_work w where w.event_id = e.id and w.state = 'pending')`
    return rows.length === events.count
  })
  assert.ok(everything.length > 25)
  const isAboutSomebody = ({ body }: Received) =>
    everything.some(({ named }) => body.includes(named.first_name) && body.includes(named.email))
  for (const { url, seen } of receivers)
    await until(`an event with a name at ${url}`, () => seen.findIndex(isAboutSomebody) >= 0)
  await until('their answers to be written', async () => {
    const rows = await world.rows<{ count: number }>`
        select count(*)::int as count from (
          select response_sealed from delivery_attempts union all select response_sealed from finished_deliveries) kept
        where response_sealed is not null`
    return (rows[0]?.count ?? 0) >= 2
  })
  const dump = await wholeDatabase()
  assert.ok(
    (dump.get('end_users') ?? []).length > 5 && (dump.get('events') ?? []).length > 5,
    'the dump holds what it should',
  )
  const kept = [...dump]
    .flatMap(([table, rows]) => rows.map((row) => `${table}: ${row}`))
    .join('\n')
    .toLowerCase()
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  const said = [...answers.map(({ text }) => text), ...world.log, metrics].join('\n').toLowerCase()
  for (const { named, hidden, pictures } of everything) {
    for (const secret of [...textsOf(hidden), ...textsOf(named), ...pictures]) {
      assert.ok(!kept.includes(secret.toLowerCase()), `${secret} is stored`)
      assert.ok(!said.includes(secret.toLowerCase()), `${secret} was answered, logged or counted`)
    }
  }
})

test('deliveries hold nothing but the names that the provider’s own customer events tell', async () => {
  const delivered = await (await fetch(`${world.inboxUrl}/messages?limit=500`)).text()
  assert.ok(delivered.includes('end_user.kyc.updated'))
  assert.ok(
    everything.some(({ named }) => delivered.includes(named.first_name)),
    'a name is delivered byte for byte',
  )
  for (const { hidden, pictures } of everything)
    for (const secret of [...textsOf(hidden), ...pictures])
      assert.ok(!delivered.includes(secret), `${secret} is delivered`)
})

test('nothing of it is in the files of the database or its log of changes', async () => {
  for (const { pictures } of everything)
    for (const mark of pictures) assert.ok(mark.startsWith('WnFDYW5hcn'), 'what is searched for in base64')
  const { files, bytes, hits } = await searchDatabaseFiles(world.database)
  assert.ok(files > 100 && bytes > 10_000_000)
  assert.deepEqual(hits, [])
  const { hits: found } = await searchDatabaseFiles(world.database, new RegExp(await candidate(), 'g'))
  assert.ok(
    found.some((hit) => hit.includes('pg_wal')),
    'what is stored is found there',
  )
})
