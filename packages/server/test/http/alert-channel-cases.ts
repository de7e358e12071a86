// Shared cases of the operations on alert channels, for a business and for the operator. The test file of each operation names
// the statuses.

import assert from 'node:assert/strict'
import { assertError, type Call, dataOf, until } from '../caller.ts'
import { openReceiver } from '../receiver.ts'
import type { World } from '../world.ts'

/** Who has the channels: `/v0` is a business's, `/v0/operator` the operator's. */
export type Owner = { call: Call; base: '/v0' | '/v0/operator' }

export const ofBusiness = ({ business }: World): Owner => ({ call: business.call, base: '/v0' })
export const ofOperator = ({ operator }: World): Owner => ({ call: operator.call, base: '/v0/operator' })

const slack = { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/token' }

const create = ({ call, base }: Owner, body: object = slack) => call('POST', `${base}/alert-channels`, body)

/** Creates a Slack channel. @returns its path and ID */
export async function openChannel(owner: Owner, url = slack.url): Promise<{ path: string; id: string }> {
  const { id } = dataOf(await create(owner, { ...slack, url }))
  return { id, path: `${owner.base}/alert-channels/${id}` }
}

export async function createsWithDefaults(owner: Owner): Promise<void> {
  const { id, createdAt, updatedAt, ...fixed } = dataOf(await create(owner))
  assert.match(id, /^alc_/)
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(fixed, {
    type: 'slack',
    name: 'Slack',
    emails: [],
    urlOrigin: 'https://hooks.slack.com',
    kinds: ['*'],
    endpointFailingMinutes: 15,
    status: 'enabled',
  })
}

export async function showsSecretOnce(owner: Owner): Promise<void> {
  const settings = { name: 'On call', kinds: ['endpoint.failing'], endpointFailingMinutes: 1_440 }
  const body = { type: 'webhook', url: 'https://alerts.example.com/in', ...settings }
  const { signingSecret, ...shown } = dataOf(await create(owner, body))
  assert.match(signingSecret, /^whsec_/)
  assert.deepEqual(dataOf(await owner.call('GET', `${owner.base}/alert-channels/${shown.id}`)), shown)
  assert.deepEqual({ ...shown, ...settings }, shown)
}

export const refusedTargets: readonly (readonly [what: string, body: object, param: string])[] = [
  ['no URL', { type: 'slack' }, 'url'],
  ['addresses for Slack', { ...slack, emails: ['ops@acme.example'] }, 'emails'],
  ['a private address', { type: 'slack', url: 'https://10.0.0.1/services' }, 'url'],
  ['the address of cloud metadata', { type: 'webhook', url: 'https://169.254.169.254/latest' }, 'url'],
  ['plain http', { type: 'webhook', url: 'http://alerts.example.com/' }, 'url'],
  ['a low port', { type: 'webhook', url: 'https://alerts.example.com:25/' }, 'url'],
  ['no addresses', { type: 'email' }, 'emails'],
]

export async function refusesTarget(owner: Owner, body: object, param: string): Promise<void> {
  assertError(await create(owner, body), 400, 'invalid_alert_channel', { param })
}

export const noAddresses = [
  'a@b.example\r\nBcc: c@d.example',
  'a@b.example, c@d.example',
  '"a b"@c.example',
  '<a@b.example>',
  'a@b',
] as const

export async function refusesAddress(owner: Owner, email: string): Promise<void> {
  const answer = await create(owner, { type: 'email', emails: [email] })
  assertError(answer, 400, 'invalid_format', { silentOn: [email] })
}

export async function refusesEmail(owner: Owner): Promise<void> {
  const answer = await create(owner, { type: 'email', emails: ['ops@acme.example'] })
  assertError(answer, 422, 'email_not_configured', { resolution: /SMTP_URL/ })
}

export async function refusesAnEleventh(owner: Owner): Promise<void> {
  const count = async (): Promise<number> => dataOf(await owner.call('GET', `${owner.base}/alert-channels`)).length
  while ((await count()) < 10) dataOf(await create(owner))
  for (const answer of await Promise.all([create(owner), create(owner)]))
    assertError(answer, 422, 'alert_channel_limit_reached', { resolution: /10 channels/ })
  assert.equal(await count(), 10)
}

export async function listsNewestFirst(owner: Owner): Promise<void> {
  const { call, base } = owner
  const [older, newer] = [(await openChannel(owner)).id, (await openChannel(owner)).id]
  const idsOf = (channels: { id: string }[]) => channels.map(({ id }) => id)
  assert.deepEqual(idsOf(dataOf(await call('GET', `${base}/alert-channels`))).slice(0, 2), [newer, older])
  const first = await call('GET', `${base}/alert-channels?limit=1`)
  assert.deepEqual(idsOf(dataOf(first)), [newer])
  const next = /<[^>]*(\/v0\/[^>]*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  assert.deepEqual(idsOf(dataOf(await call('GET', next))), [older])
}

export async function showsChannel(owner: Owner): Promise<void> {
  const { id, path } = await openChannel(owner)
  const shown = dataOf(await owner.call('GET', path))
  assert.equal(shown.id, id)
  assert.equal(shown.urlOrigin, 'https://hooks.slack.com')
  assert.doesNotMatch(JSON.stringify(shown), /token/)
}

export async function changesWhatIsSent({ call }: Owner, path: string): Promise<void> {
  const before = dataOf(await call('GET', path))
  const changes = { name: 'Night shift', kinds: ['api_key.created', 'deposit.in_review'], status: 'paused' }
  const after = dataOf(await call('PATCH', path, changes))
  assert.deepEqual(after, { ...before, ...changes, updatedAt: after.updatedAt })
  assert.deepEqual(dataOf(await call('GET', path)), after)
  const moved = dataOf(await call('PATCH', path, { url: 'https://other.example.com/x' }))
  assert.equal(moved.urlOrigin, 'https://other.example.com')
}

export async function refusesChanges({ call }: Owner, path: string): Promise<void> {
  for (const body of [{ emails: ['ops@acme.example'] }, { url: 'https://192.168.0.1/' }])
    assertError(await call('PATCH', path, body), 400, 'invalid_alert_channel')
  for (const body of [{ endpointFailingMinutes: 0 }, { endpointFailingMinutes: 1_441 }, { kinds: ['weather.bad'] }])
    assertError(await call('PATCH', path, body), 400, 'invalid_value')
  assertError(await call('PATCH', path, {}), 400, 'invalid_length')
}

export async function deletesChannel(owner: Owner): Promise<void> {
  const { call, base } = owner
  const { id, path } = await openChannel(owner)
  const { messageId } = dataOf(await call('POST', `${path}/test`))
  assert.deepEqual(dataOf(await call('DELETE', path)), { deleted: true })
  assertError(await call('GET', path), 404, 'alert_channel_not_found')
  assertError(await call('DELETE', path), 404, 'alert_channel_not_found')
  const [message] = dataOf(await call('GET', `${base}/alert-messages?channelId=${id}`))
  assert.equal(message.id, messageId)
  assert.notEqual(message.state, 'pending')
}

export async function sendsTest(owner: Owner): Promise<void> {
  const { call, base } = owner
  await using receiver = await openReceiver()
  const { id, path } = await openChannel(owner, receiver.url)
  const { messageId } = dataOf(await call('POST', `${path}/test`))
  const again = await call('POST', `${path}/test`)
  assertError(again, 429, 'alert_test_limited')
  assert.ok(Number(again.headers.get('retry-after')) > 50)
  const received = await until('the message', () => receiver.seen[0])
  assert.match(JSON.parse(received.body.toString()).text, /^This is a test message/)
  const [message, ...others] = await until('the outcome', async () => {
    const found = dataOf(await call('GET', `${base}/alert-messages?channelId=${id}`))
    return found[0].state !== 'pending' && found
  })
  assert.deepEqual(others, [])
  assert.deepEqual(
    [message.id, message.isTest, message.state, message.lastOutcome],
    [messageId, true, 'sent', 'The receiver responded with 200.'],
  )
}

export async function refusesTestOfEmail(world: World, owner: Owner): Promise<void> {
  const { id, path } = await openChannel(owner)
  await world.rows`update alert_channels set type = 'email', emails = '{ops@acme.example}' where id = ${id}`
  assertError(await owner.call('POST', `${path}/test`), 422, 'email_not_configured')
}
