// `after-restore` on a copy of a database while the original stays in use. Nothing assigned since the backup is
// assigned again, ended objects stay ended as far as possible, and scheduled work waits again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../src/app/open-store.ts'
import { afterRestore } from '../src/app/restore/after-restore.ts'
import { checkAudit, listPublishedHeads } from '../src/audit/verify.ts'
import { createDeps } from '../src/main.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { type ConnectionOptions, openClient } from '../src/platform/postgres/client.ts'
import { accountRequest } from './business.ts'
import { assertError, callerOf, dataOf, request, until } from './caller.ts'
import { ownPage, signIn } from './console-browser.ts'
import { openWorld, type Replica, type World } from './world.ts'

const skip = 1_000
const wallet = { payment_rail: 'ethereum', currency: 'usdc', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }

/** Works on a database that no server uses. */
async function onDatabase<T>(
  world: World,
  database: ConnectionOptions,
  work: (deps: ReturnType<typeof createDeps>) => Promise<T>,
): Promise<T> {
  const log = createLog('silent')
  const { config } = world.inside
  const store = await openStore(config, log, database)
  const deps = createDeps(config, log, store.db)
  try {
    return await work(deps)
  } finally {
    await deps.provider.close()
    await store.close()
  }
}

async function copyOf(world: World, stack: AsyncDisposableStack, suffix = 'restored'): Promise<ConnectionOptions> {
  const name = `${world.database.database}_${suffix}`
  const admin = await openClient(
    { ...world.database, database: 'postgres' },
    { applicationName: 'test', parameters: {} },
  )
  stack.defer(() => admin.close())
  await admin.query.unsafe(`create database ${name} template ${world.database.database}`)
  stack.defer(async () => void (await admin.query.unsafe(`drop database if exists ${name} with (force)`)))
  return { ...world.database, database: name }
}

test('after a restore no number is given out twice, and what was ended or cancelled meanwhile does not come back by itself', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await openWorld({
    alone: true,
    env: { RECONCILE_PERIOD_SECONDS: '300', DESTINATION_CHANGE_DELAY_MINUTES: '60' },
  })
  stack.defer(() => world.stop())
  const subscriber = stack.use(await world.subscriber())
  const { receiver, externalUserId, id: customerId } = subscriber
  const user = await world.business.user('approved')
  const { id: accountId = '', destinationAddress } = await world.business.account(user)
  await world.business.call('PATCH', `/v0/virtual-accounts/${accountId}`, { destination: wallet })
  const { id: keyId, key } = (await subscriber.call('POST', '/v0/api-keys', {})).body.data
  const link = (await world.business.call('POST', '/v0/console-links', { scopes: ['end_users:read'] })).body.data.url
  const code: string = link.split('#')[1]
  await world.business.call('POST', `/v0/end-users/${user}/onboarding-links`, { rails: ['cop'] })
  const at = (baseUrl: string, path: string, bearer = subscriber.apiKey) =>
    request('GET', `${baseUrl}${path}`, undefined, { headers: { authorization: `Bearer ${bearer}` } })
  const placeOf = (answer: { headers: Headers }): string =>
    new URL(/<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '').searchParams.get('after') ?? ''
  const send = async (baseUrl: string) => {
    const count = receiver.seen.length
    const answer = await world.post(subscriber.event(), { at: baseUrl })
    assert.equal(answer.status, 200, answer.text)
    await until('the delivery', async () => receiver.seen.length > count)
  }
  const sequences = () => receiver.seen.map(({ headers }) => Number(headers['svc-sequence']))
  await send(world.url)
  await send(world.url)
  await world.server.stop()
  const backup = await copyOf(world, stack)

  // The original stays in use.
  const original = stack.use(await world.replica())
  const placeBefore = placeOf(await at(original.url, '/v0/events?after=now'))
  for (let sent = 0; sent < 3; sent++) await send(original.url)
  const placeSince = placeOf(await at(original.url, '/v0/events?after=now'))
  assert.notEqual(placeSince, placeBefore)
  await signIn(original.url, { code })
  const ended = await request('DELETE', `${original.url}/v0/api-keys/${keyId}`, undefined, {
    headers: { authorization: `Bearer ${subscriber.apiKey}` },
  })
  assert.equal(ended.status, 200, ended.text)
  const published = await listPublishedHeads(original.inside)
  await original.stop()

  // While a server runs, the command refuses. The destination would be due by now.
  const early: Replica = await world.replica({ config: { reconcilePeriodSeconds: 0 }, database: backup })
  await onDatabase(world, backup, async (deps) => {
    await deps.db.transaction(
      (tx) => tx`update virtual_accounts set pending_destination_at = now() + interval '1 hour'`,
    )
    const refused = afterRestore(deps, { skip, endKeys: false, uptimeSeconds: 0 })
    await assert.rejects(refused, /Servers are running on this database/)
  })
  await early.stop()
  await onDatabase(world, backup, async (deps) => {
    await deps.db.transaction(
      (tx) => tx`update virtual_accounts set pending_destination_at = now() - interval '1 hour'`,
    )
    const done = await afterRestore(deps, { skip, endKeys: false, uptimeSeconds: 3_600 })
    assert.deepEqual(
      [
        done.skipped.by,
        done.destinationsPostponed,
        done.consoleEnded.links,
        done.onboardingLinksEnded,
        done.apiKeys.ended,
      ],
      [skip, 1, 1, 1, 0],
    )
    assert.ok(Date.parse(done.missingSince) <= Date.now())
    assert.equal((await checkAudit(deps, null)).ok, true)
    const { findings } = await checkAudit(deps, null, published)
    assert.deepEqual(
      findings.map(({ customerId: whose, kind }) => `${whose} ${kind}`).sort(),
      [customerId, world.business.id].map((whose) => `${whose} not_as_published`).sort(),
    )
  })

  const restored = stack.use(await world.replica({ database: backup }))
  const before = sequences()
  await send(restored.url)
  const ids = receiver.seen.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual(before, [1, 2, 3, 4, 5])
  assert.equal(sequences().at(-1), 2 + skip + 1)
  assert.equal(new Set(ids).size, 6, 'every event has its own webhook-id')

  for (const place of [placeSince, placeBefore]) {
    const gap = await at(restored.url, `/v0/events?after=${place}`)
    assertError(gap, 409, 'cursor_expired')
    const read = await at(restored.url, `/v0/events?after=${placeOf(gap)}`)
    assert.equal(read.status, 200, read.text)
    assert.ok(read.body.data.some((event: { externalUserId: string }) => event.externalUserId === externalUserId))
  }
  assert.equal((await at(restored.url, '/v0/end-users', key)).status, 200, 'a key revoked meanwhile works again')
  const again = await request('POST', `${restored.url}/console/session`, { code }, { headers: ownPage })
  assert.equal(again.status, 401, again.text)
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const account = await request('GET', `${restored.url}/v0/virtual-accounts/${accountId}`, undefined, { headers })
  assert.equal(account.body.data.destinationAddress, destinationAddress)
  assert.ok(Date.parse(account.body.data.pendingDestinationFrom) > Date.now() + 59 * 60_000)
  const told = await at(restored.url, '/v0/audit-log?action=database.restored')
  assert.equal(told.body.data.length, 1)
  assert.equal(told.body.data[0].details.skipped, skip)
  await restored.stop()

  await onDatabase(world, backup, async (deps) => {
    const done = await afterRestore(deps, { skip, endKeys: true, uptimeSeconds: 3_600 })
    assert.ok(done.apiKeys.ended >= 2)
    assert.equal(done.apiKeys.alive, 0)
  })
  const locked = stack.use(await world.replica({ database: backup }))
  assert.equal((await at(locked.url, '/v0/end-users', key)).status, 401)
})

test('a change of an account that was under way is not repeated on a restored database', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '300' } })
  stack.defer(() => world.stop())
  const user = await world.business.user('approved')
  const { id = '' } = await world.business.account(user)
  const read = async (baseUrl: string) => {
    const headers = { authorization: `Bearer ${world.business.apiKey}` }
    const shown = (await request('GET', `${baseUrl}/v0/virtual-accounts/${id}`, undefined, { headers })).body.data
    return `${shown.developerFeePercent} ${shown.destinationAddress}`
  }
  // The first response is lost, and the provider is unavailable: the outcome stays unknown.
  const path = '^/v0/customers/[^/]+/virtual_accounts/[^/]+$'
  for (const order of [{ mode: 'cut_after' }, { mode: 'status', status: 503, times: 1_000 }])
    await world.provider.fails({ method: 'PUT', path, ...order })
  const first = await world.business.call('PATCH', `/v0/virtual-accounts/${id}`, { developer_fee_percent: '1.1' })
  assert.ok(first.status >= 500, first.text)
  await world.server.stop()
  const backup = await copyOf(world, stack)
  await world.provider.recovers()

  const original = stack.use(await world.replica())
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const change = { developer_fee_percent: '2.2', destination: wallet }
  const later = await until('the later change', async () => {
    const answer = await request('PATCH', `${original.url}/v0/virtual-accounts/${id}`, change, { headers })
    return answer.status === 200 ? answer : undefined
  })
  assert.equal(later.body.data.developerFeePercent, '2.2')
  const now = await read(original.url)
  await original.stop()

  await onDatabase(world, backup, async (deps) => {
    const { changesDropped } = await afterRestore(deps, { skip, endKeys: false, uptimeSeconds: 3_600 })
    assert.deepEqual(
      changesDropped.map(({ kind, subjectId }) => [kind, subjectId]),
      [['virtual_account.update', id]],
    )
  })
  const restored = stack.use(await world.replica({ database: backup }))
  await until('the reading of the account', async () => (await read(restored.url)) === now, 30_000)
})

test('an account that waited for KYC and opened after the backup is not opened a second time', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '300' } })
  stack.defer(() => world.stop())
  const user = await world.business.user('submitted', { mail: '+review' })
  const waiting = []
  for (let asked = 0; asked < 2; asked++) {
    const terms = { onPendingKyc: 'wait', developer_fee_percent: '0.5' }
    const made = await world.business.call('POST', '/v0/virtual-accounts', accountRequest(user, terms))
    waiting.push(String(dataOf(made).id))
  }
  const [plain = '', changed = ''] = waiting
  const customerId = await world.business.customerOf(user)
  await world.server.stop()
  const [soon, late] = [await copyOf(world, stack, 'soon'), await copyOf(world, stack, 'late')]
  const on = ({ url }: Replica) => callerOf(url, world.business.apiKey).call
  const reached = (replica: Replica, id: string, status: string) =>
    until(
      `${status} of ${id}`,
      async () => {
        const account = dataOf(await on(replica)('GET', `/v0/virtual-accounts/${id}`))
        return account.status === status && account
      },
      30_000,
    )

  // The original stays in use: both accounts open, and one is changed and deactivated.
  const original = stack.use(await world.replica())
  await world.provider.control('POST', `/customers/${customerId}/kyc`, { decision: 'approve' })
  for (const event of await world.provider.events()) await world.post(event, { at: original.url })
  const opened = [await reached(original, plain, 'active'), await reached(original, changed, 'active')]
  const path = `/v0/virtual-accounts/${changed}`
  dataOf(await on(original)('PATCH', path, { developer_fee_percent: '2.2', destination: wallet }))
  const stopped = dataOf(await on(original)('POST', `${path}/deactivate`))
  await original.stop()
  const restore = async (database: ConnectionOptions) => {
    await onDatabase(world, database, (deps) => afterRestore(deps, { skip, endKeys: false, uptimeSeconds: 3_600 }))
    return stack.use(await world.replica({ database }))
  }

  const restored = await restore(soon)
  const again = [await reached(restored, plain, 'active'), await reached(restored, changed, 'deactivated')]
  for (const [at, account] of [opened[0], stopped].entries())
    for (const name of ['bankAccountNumber', 'destinationAddress', 'developerFeePercent'])
      assert.equal(again[at][name], account[name], name)
  assert.equal((await world.provider.accountsOf(user)).length, 2)
  await restored.stop()

  // The provider takes a key that is older than 24 hours from nobody.
  await world.provider.control('POST', '/clock', { advance_ms: 25 * 3_600_000 })
  const tooLate = await restore(late)
  for (const id of waiting) assert.equal((await reached(tooLate, id, 'failed')).failureCode, 'unprocessable_entity')
  assert.equal((await world.provider.accountsOf(user)).length, 2)
})
