// Checks a running server over HTTP: readiness, version, clock, provider calls, and the API key.

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
    const remedy = 'Start the server (npm start, causeway serve), or check the URL, proxies and firewalls.'
    return [problem('server', `No response from ${baseUrl}.`, remedy)]
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
    const remedy = 'Use the base URL of Causeway, without /v0.'
    return problem(check, `The server at ${baseUrl} is not Causeway (status ${status}).`, remedy)
  }
  return problem(check, `The server does not accept requests: ${error.message} (${error.code})`, error.resolution)
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

/** The header has whole seconds, and the response took time. */
function checkClock({ date, tookMs }: Answer, now: () => number): Finding[] {
  const check = 'clocks'
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs)) return []
  const offMs = Math.abs(now() - serverMs - 500) - tookMs
  const facts = `The clocks of the server and of this machine differ by ${seconds(offMs / 1_000)}`
  const remedy = 'Run NTP on both. Signatures are rejected when clocks differ by 5 minutes.'
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
    const remedy = 'Check that /metrics of this URL belongs to Causeway.'
    return warning(check, 'The version of the server is unknown: /metrics does not contain it.', remedy)
  }
  if (server === version) return ok(check, `${server}, server and command`)
  return warning(check, `The server has version ${server}, this command ${version}.`, 'Install the same version.')
}

function withoutMetrics(): Finding {
  const message = 'Not checked, like the provider calls: /metrics of the server requires METRICS_TOKEN.'
  return warning('versions', message, 'Run causeway doctor on the host of the server, with the settings of the server.')
}

const failures = new Set(['unauthorized', 'unreachable', 'timeout', 'unavailable', 'unreadable'])

/** Outcomes of the calls to the provider since the server started. */
function checkCalls(figures: string): Finding[] {
  const check = 'provider calls'
  const counts = new Map<string, number>()
  for (const [, outcome = '', count] of figures.matchAll(
    /^causeway_upstream_call_duration_seconds_count\{.*?outcome="([^"]*)".*?\} (\d+)$/gm,
  ))
    counts.set(outcome, (counts.get(outcome) ?? 0) + Number(count))
  const failed = [...counts].filter(([outcome]) => failures.has(outcome))
  const failedCount = failed.reduce((sum, [, count]) => sum + count, 0)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (all === 0) return []
  const facts = `${failedCount} of ${all} failed since the server started`
  const kinds = failed.map(([outcome, count]) => `${outcome} ${count}`).join(', ')
  return [
    failedCount * 10 > all
      ? warning(
          check,
          `${facts}: ${kinds}.`,
          'Run causeway doctor on the host of the server, and check the status of the provider.',
        )
      : ok(check, facts),
  ]
}

async function checkKey({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<Finding> {
  const check = 'api key'
  try {
    const { name, mode, scopes } = await new Causeway({ baseUrl, apiKey, retriesMax: 0, timeoutMs }).call('whoAmI', {})
    return ok(check, `valid for ${name}, ${mode} mode, ${scopes.length} scopes`)
  } catch (error) {
    if (!(error instanceof ApiError))
      return warning(check, 'Not checked: the request failed.', 'See the check “server”.')
    return problem(check, `The server returned ${error.status} ${error.code}.`, error.resolution)
  }
}
