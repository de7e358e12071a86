// A server that runs, asked over HTTP as its callers do: whether it takes requests, what it is, its clock, its provider, our key.

import { ApiError, Causeway } from '../../../sdk/src/index.ts'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { version } from '../../../server/src/platform/version.ts'
import { type Finding, firstOf, ok, problem, seconds, warning } from './check.ts'

const timeoutMs = 5_000
/** Verifiers refuse a signature that is 5 minutes off. */
const clockWarningMs = 5_000
const clockProblemMs = 60_000

export type ServerTarget = { baseUrl: string; apiKey: string | null; metricsToken?: string | undefined }

export async function checkServer(target: ServerTarget, now: () => number): Promise<Finding[]> {
  const { baseUrl, apiKey, metricsToken } = target
  const ready = await ask(`${baseUrl}/readyz`)
  if (ready === null) {
    const remedy = 'Start it (npm start, causeway serve), or check the address and what stands between.'
    return [problem('server', `Nothing answers at ${baseUrl}.`, remedy)]
  }
  const figures = await ask(`${baseUrl}/metrics`, metricsToken)
  return [
    checkReadiness(ready, baseUrl),
    ...checkClock(ready, now),
    ...(figures?.status === 200 ? [checkVersion(figures.text), ...checkCalls(figures.text)] : []),
    ...(figures?.status === 401 ? [withoutMetrics()] : []),
    ...(apiKey === null ? [] : [await checkKey({ baseUrl, apiKey })]),
  ]
}

type Answer = { status: number; text: string; date: string | null; tookMs: number }

async function ask(url: string, token?: string): Promise<Answer | null> {
  const startedMs = performance.now()
  try {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    const text = await response.text()
    const tookMs = performance.now() - startedMs
    return { status: response.status, text, date: response.headers.get('date'), tookMs }
  } catch {
    return null
  }
}

function checkReadiness({ status, text, tookMs }: Answer, baseUrl: string): Finding {
  const check = 'server'
  if (status === 200 && text === '{"data":{"status":"ready"}}') return ok(check, `ready, in ${Math.round(tookMs)} ms`)
  const error = errorOf(text)
  if (error === null) {
    const remedy = 'Check the address: it is that of Causeway, without /v0.'
    return problem(check, `What answers at ${baseUrl} is no Causeway (${status}).`, remedy)
  }
  return problem(check, `It takes no requests now: ${error.message} (${error.code})`, error.resolution)
}

function errorOf(text: string): { code: string; message: string; resolution: string } | null {
  try {
    const answer: unknown = JSON.parse(text)
    const error = isJsonObject(answer) && isJsonObject(answer['error']) ? answer['error'] : null
    if (error === null || typeof error['code'] !== 'string') return null
    return { code: error['code'], message: String(error['message']), resolution: String(error['resolution']) }
  } catch {
    return null
  }
}

/** The header has whole seconds, and its journey took a while. */
function checkClock({ date, tookMs }: Answer, now: () => number): Finding[] {
  const check = 'clocks'
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs)) return []
  const offMs = Math.abs(now() - serverMs - 500) - tookMs
  const facts = `The clock of the server and that of this machine are ${seconds(offMs / 1_000)} apart`
  const remedy = 'Let both follow NTP: signatures are refused when clocks are 5 minutes apart.'
  return [
    firstOf(
      [
        offMs > clockProblemMs && problem(check, `${facts}.`, remedy),
        offMs > clockWarningMs && warning(check, `${facts}.`, remedy),
      ],
      ok(check, 'the server and this machine agree'),
    ),
  ]
}

function checkVersion(figures: string): Finding {
  const check = 'versions'
  const [, server = 'unknown'] = /^causeway_build_info\{.*?version="([^"]*)"/m.exec(figures) ?? []
  if (server === 'unknown') {
    const remedy = 'Check that /metrics of this address belongs to Causeway.'
    return warning(check, 'The version of the server is unknown: /metrics does not contain it.', remedy)
  }
  if (server === version) return ok(check, `${server} here and there`)
  return warning(check, `The server is ${server}, this command ${version}.`, 'Install the same version of both.')
}

function withoutMetrics(): Finding {
  const message = 'Not checked, nor the calls to the provider: /metrics of the server needs its METRICS_TOKEN.'
  return warning('versions', message, 'Run causeway doctor where the server runs, with its settings.')
}

const failures = new Set(['unauthorized', 'unreachable', 'timeout', 'unavailable', 'unreadable'])

/** What became of the calls to the provider since the server started. */
function checkCalls(figures: string): Finding[] {
  const check = 'calls to the provider'
  const counts = new Map<string, number>()
  for (const [, outcome = '', count] of figures.matchAll(
    /^causeway_upstream_call_duration_seconds_count\{.*?outcome="([^"]*)".*?\} (\d+)$/gm,
  ))
    counts.set(outcome, (counts.get(outcome) ?? 0) + Number(count))
  const failed = [...counts].filter(([outcome]) => failures.has(outcome))
  const failedCount = failed.reduce((sum, [, count]) => sum + count, 0)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (all === 0) return []
  const facts = `${failedCount} of ${all} failed since the start`
  const kinds = failed.map(([outcome, count]) => `${outcome} ${count}`).join(', ')
  return [
    failedCount * 10 > all
      ? warning(check, `${facts}: ${kinds}.`, 'Run causeway doctor where the server runs; look at the provider.')
      : ok(check, facts),
  ]
}

async function checkKey({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<Finding> {
  const check = 'api key'
  try {
    const { name, mode, scopes } = await new Causeway({ baseUrl, apiKey, retriesMax: 0, timeoutMs }).call('whoAmI', {})
    return ok(check, `of ${name}, ${mode} mode, ${scopes.length} scopes`)
  } catch (error) {
    if (!(error instanceof ApiError)) return warning(check, 'It could not be tried.', 'See the finding on the server.')
    return problem(check, `${error.status} ${error.code}.`, error.resolution)
  }
}
