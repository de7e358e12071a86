// /metrics: each figure changes when its event happens, and the dashboard and the alerts use only existing metrics.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { assertError, request, until } from './caller.ts'
import { databaseLink } from './database-link.ts'
import { openReceiver } from './receiver.ts'
import { openWorld, type World } from './world.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

let world: World
before(async () => {
  world = await openWorld({ alone: true })
})
after(() => world.stop())

const scrape = async (baseUrl = world.url): Promise<string> => (await request('GET', `${baseUrl}/metrics`)).text

/** The sum over all series of a name whose labels hold `labels`. */
function figureOf(text: string, name: string, labels = ''): number {
  const lines = text.split('\n').filter((line) => /^[a-z]/.test(line) && line.split(/[{ ]/)[0] === name)
  const found = lines.filter((line) => line.includes(labels))
  return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

test('requests, calls to the provider, events, attempts and what waits are told', async () => {
  await using receiver = await openReceiver()
  await world.business.call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
  const user = await world.business.user()
  await world.business.call('POST', `/v0/end-users/${user}/tos-link`)
  await until('the delivery', () => receiver.seen.length > 0)
  const event = { event_id: 'wh_metrics', event_type: 'test.happened', external_user_id: user }
  for (let turn = 0; turn < 2; turn++) await world.business.call('POST', '/v0/webhooks/provider', event, { key: null })
  await until('the second delivery', () => receiver.seen.length > 1)
  const text = await until('the settled delivery', async () => {
    const scraped = await scrape()
    return figureOf(scraped, 'causeway_deliveries_ended_total', 'status="delivered"') >= 2 && scraped
  })
  const least: readonly [name: string, labels: string, value: number][] = [
    ['causeway_http_requests_total', 'route="/v0/end-users",status="200"', 1],
    ['causeway_http_request_duration_seconds_count', 'route="/v0/end-users"', 1],
    ['causeway_upstream_call_duration_seconds_count', 'operation="createTosLink",outcome="ok"', 1],
    ['causeway_events_accepted_total', 'outcome="queued"', 1],
    ['causeway_events_accepted_total', 'outcome="duplicate"', 1],
    ['causeway_intake_batch_events_count', '', 2],
    ['causeway_delivery_attempt_duration_seconds_count', 'outcome="delivered"', 2],
    ['causeway_database_call_duration_seconds_count', 'kind="read"', 1],
    ['causeway_database_connections_max', '', 10],
    ['causeway_database_up', '', 1],
    ['causeway_endpoints', 'state="enabled"', 1],
    ['causeway_build_info', `node="${process.version}"`, 1],
  ]
  for (const [name, labels, value] of least) assert.ok(figureOf(text, name, labels) >= value, `${name}{${labels}}`)
  for (const identifier of [user, world.business.id, world.business.apiKey, receiver.url, 'wh_metrics'])
    assert.ok(!text.includes(identifier), `${identifier} is in the metrics`)
})

test('what waits is read from the database: the same from each process, with its age', async () => {
  await using receiver = await openReceiver(() => 500)
  await world.business.call('PUT', '/v0/webhook-url', { webhookUrl: receiver.url })
  await world.business.user()
  const { db } = world.inside
  // The outcome of an attempt is written after the receiver saw the request. Written later, it would undo the updates below.
  await until('the outcome of an attempt', async () => {
    const failed = await db.read((query) => query`select 1 from endpoint_lanes where failures > 0`)
    return failed.length > 0
  })
  await db.transaction((tx) => tx`update deliveries set created_at = now() - interval '1 hour'`)
  await db.transaction((tx) => tx`update endpoint_lanes set failures = 12`)
  const business = world.business.id
  await db.transaction(
    (
      tx,
    ) => tx`insert into operations (business_id, id, kind, subject_id, provider, provider_key, state, lease_until, created_at)
      values (${business}, 'op_metrics', 'create_virtual_account', 'va_x', 'bridge', 'k', 'unknown', now() + interval '1 hour', now() - interval '20 minutes')`,
  )
  await db.transaction(
    (tx) =>
      tx`insert into event_work (event_id, provider_refs, state, due_at) values ('evt_x', '{}', 'quarantined', now())`,
  )
  await using replica = await world.replica()
  const text = await scrape(replica.url)
  await db.transaction((tx) => tx`delete from operations where id = 'op_metrics'`)
  await db.transaction((tx) => tx`delete from event_work where event_id = 'evt_x'`)
  assert.ok(figureOf(text, 'causeway_deliveries_waiting') >= 1)
  assert.ok(figureOf(text, 'causeway_deliveries_oldest_waiting_seconds', 'endpoint="open"') >= 3_600)
  assert.equal(figureOf(text, 'causeway_endpoints', 'state="failing"'), 1)
  assert.equal(figureOf(text, 'causeway_operations_unknown'), 1)
  assert.ok(figureOf(text, 'causeway_operations_unknown_oldest_seconds') >= 1_200)
  assert.equal(figureOf(text, 'causeway_events_quarantined'), 1)
})

test('a database that is away is told within seconds, and no old figure stands', async () => {
  await using link = await databaseLink(world.database)
  await using replica = await world.replica({ database: link.connection })
  assert.equal(figureOf(await scrape(replica.url), 'causeway_database_up'), 1)
  link.cut()
  const text = await until('the news', async () => {
    const scraped = await scrape(replica.url)
    return figureOf(scraped, 'causeway_database_up') === 0 && scraped
  })
  assert.match(text, /^causeway_deliveries_waiting Nan$/im)
  assert.doesNotMatch(text, /^causeway_deliveries_oldest_waiting_seconds\{/m)
})

/** Names of Causeway metrics in an expression, without the suffixes of histograms. */
const namesIn = (expression: string): string[] => [...expression.matchAll(/\bcauseway_\w+/g)].map(([name]) => name)

/** As Prometheus would know them: histograms by their series. */
async function knownNames(): Promise<Set<string>> {
  const types = [...(await scrape()).matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  )
}

type Panel = {
  type: string
  title?: string
  description?: string
  fieldConfig?: { defaults?: { unit?: string } }
  targets?: { expr: string; legendFormat?: string }[]
}

test('each panel of the dashboard has a title, a unit and a description, and asks only for metrics that exist', async () => {
  const known = await knownNames()
  const { panels } = JSON.parse(read('deploy/grafana/causeway.json')) as { panels: Panel[] }
  const asked = new Set<string>()
  for (const { type, title, description, fieldConfig, targets } of panels) {
    assert.ok(title)
    if (type === 'row') continue
    assert.ok(description && fieldConfig?.defaults?.unit && targets?.length, title)
    for (const { expr, legendFormat } of targets) {
      assert.ok(legendFormat, title)
      assert.equal(expr.split('(').length, expr.split(')').length, expr)
      for (const name of namesIn(expr)) {
        assert.ok(known.has(name), `${title}: ${name}`)
        asked.add(name.replace(/_(bucket|count|sum)$/, ''))
      }
    }
  }
  assert.ok(documented().length > 20)
  const unseen = documented().filter((name) => !asked.has(name))
  assert.deepEqual(unseen, [], 'a metric that no panel shows')
})

const documented = (): string[] =>
  [...read('docs/src/content/docs/reference/metrics.md').matchAll(/^## `(\w+)`$/gm)].map(([, name = '']) => name)

type Rule = {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: Record<string, string>
}

test('each alert asks only for metrics that exist, waits, and has its entry in the runbook', async () => {
  const known = await knownNames()
  const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }
  const runbook = read('docs/src/content/docs/run/alerts.md')
  const rules = groups.flatMap((group) => group.rules)
  assert.ok(rules.length >= 8)
  for (const { alert, expr, annotations, labels, ...rule } of rules) {
    assert.ok(namesIn(expr).length > 0, alert)
    for (const name of namesIn(expr)) assert.ok(known.has(name), `${alert}: ${name}`)
    assert.match(rule.for, /^\d+[mh]$/)
    assert.match(labels.severity, /^(page|ticket)$/)
    assert.ok(annotations['summary'], alert)
    assert.equal(annotations['runbook'], `/docs/run/alerts#${alert.toLowerCase()}`)
    assert.match(runbook, new RegExp(`^### ${alert}$`, 'm'))
  }
})

test('however many ask, the text is made once a second, and every caller gets it', async () => {
  await using replica = await world.replica()
  const { url } = replica
  const beganAtMs = performance.now()
  const answers = await Promise.all(Array.from({ length: 50 }, () => scrape(url)))
  const seconds = (performance.now() - beganAtMs) / 1_000
  // Each scrape is a request that the next text would count.
  assert.ok(new Set(answers).size <= 1 + Math.ceil(seconds), `${new Set(answers).size} texts in ${seconds} s`)
  const counted = (text: string) => figureOf(text, 'causeway_http_requests_total', 'route="/metrics"')
  const before = counted(answers[0] ?? '')
  await until('the next text', async () => counted(await scrape(url)) >= before + 50)
})

test('the text is compressed where the caller takes it', async () => {
  const sizeOf = async (coding: string) => {
    const response = await fetch(`${world.url}/metrics`, { headers: { 'accept-encoding': coding } })
    await response.arrayBuffer()
    assert.equal(response.headers.get('vary'), 'accept-encoding')
    return [response.headers.get('content-encoding'), Number(response.headers.get('content-length'))] as const
  }
  const [none, plainBytes] = await sizeOf('identity')
  const [coding, bytes] = await sizeOf('gzip')
  assert.deepEqual([none, coding], [null, 'gzip'])
  assert.ok(bytes * 5 < plainBytes, `${bytes} of ${plainBytes} bytes`)
})

test('no request costs more than a dozen lines, whatever statuses its route has had', async () => {
  const text = await scrape()
  const lines = text.split('\n').filter((line) => /^causeway_http_request_duration_seconds_/.test(line))
  const routes = new Set(lines.map((line) => /method="\w+",route="[^"]*"/.exec(line)?.[0]))
  assert.ok(routes.size > 0 && lines.length / routes.size <= 12, `${lines.length} lines of ${routes.size} routes`)
})

test('with METRICS_TOKEN the metrics need it, and guesses of it count by address', async () => {
  const metricsToken = 'a-token-that-prometheus-has'
  await using replica = await world.replica({ config: { metricsToken, failedAuthPerMinute: 2 } })
  const ask = (authorization?: string) =>
    request('GET', `${replica.url}/metrics`, undefined, { headers: { ...(authorization && { authorization }) } })
  assertError(await ask(), 401, 'metrics_token_invalid')
  assertError(await ask(`Bearer ${world.business.apiKey}`), 401, 'metrics_token_invalid')
  assertError(await ask(`Bearer ${metricsToken}x`), 429, 'rate_limited')
  assert.equal((await ask(`Bearer ${metricsToken}`)).status, 200)
})
