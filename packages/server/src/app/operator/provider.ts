// Provider status for the operator: whether it responds now, and the results of this process's calls and events.

import type { Core } from '../../platform/core.ts'
import { eventsRefused, upstreamDuration, upstreamLastCall } from '../../platform/observe/metrics.ts'
import { isoTime } from '../../platform/values/time.ts'
import { fingerprintOf } from '../../provider/connection/event-keys.ts'
import { listProviderWebhooks } from '../../provider/connection/webhooks.store.ts'
import { type Provider, ProviderError } from '../../provider/port.ts'
import { readReconciliation } from './provider.store.ts'

const freshMs = 5_000
const waitMsMax = 3_000

export const providerProblems = [
  'unauthorized',
  'rejected',
  'not_found',
  'unavailable',
  'unreadable',
  'unreachable',
  'timeout',
] as const

type Look = {
  checkedAt: string
  tookMs: number
  problem: (typeof providerProblems)[number] | null
  webhook: { url: string; status: string; isKeyKnown: boolean } | null
}

type AsksProvider = Core & { provider: Pick<Provider, 'endpoints' | 'ping'> }

export type ProviderStatus = Awaited<ReturnType<ReturnType<typeof createProviderStatus>>>

/** Creates the reader of the provider's status, which calls the provider at most once in five seconds. */
export function createProviderStatus(deps: AsksProvider) {
  let last: { atMs: number; look: Promise<Look> } | null = null
  const lookNow = (): Promise<Look> => {
    if (last === null || performance.now() - last.atMs > freshMs) last = { atMs: performance.now(), look: look(deps) }
    return last.look
  }
  return async () => {
    const [seen, row] = await Promise.all([lookNow(), deps.db.read(readReconciliation)])
    const { providerKind, providerUrl } = deps.config
    const { origin, pathname } = new URL(providerUrl)
    return {
      kind: providerKind,
      url: `${origin}${pathname}`,
      reachable: seen.problem === null || !silent.has(seen.problem),
      ...seen,
      calls: await callsOfProcess(),
      signatureFailures: await refusedOfProcess(),
      lastEventAt: row.lastEventAt && isoTime(row.lastEventAt),
      operationsUnknown: row.operationsUnknown,
      reconciliation: {
        failures: row.failures,
        nextAt: isoTime(row.dueAt),
        rereadCoveredTo: row.rereadCoveredTo && isoTime(row.rereadCoveredTo),
        informationRequestsCoveredTo: row.requestsCoveredTo && isoTime(row.requestsCoveredTo),
        informationRequestsRefusedSince: row.requestsRefusedSince && isoTime(row.requestsRefusedSince),
      },
    }
  }
}

/** Reports a response that takes more than three seconds as a problem, instead of waiting for it. */
async function look(deps: AsksProvider): Promise<Look> {
  const startedMs = performance.now()
  const { promise: late, resolve } = Promise.withResolvers<'timeout'>()
  const timer = setTimeout(() => resolve('timeout'), waitMsMax)
  const answer = await Promise.race([ask(deps), late])
  clearTimeout(timer)
  return {
    checkedAt: isoTime(new Date(deps.now())),
    tookMs: Math.round(performance.now() - startedMs),
    problem: typeof answer === 'string' ? answer : null,
    webhook: typeof answer === 'string' ? null : answer.webhook,
  }
}

async function ask(deps: AsksProvider): Promise<{ webhook: Look['webhook'] } | (typeof providerProblems)[number]> {
  const { endpoints } = deps.provider
  try {
    if (endpoints === null) {
      await deps.provider.ping()
      return { webhook: null }
    }
    const stored = await deps.db.read(listProviderWebhooks)
    const known = new Set(stored.map(({ id }) => id))
    const keys = [...stored.map(({ publicKey }) => publicKey), ...(deps.config.providerWebhookPublicKeys ?? [])].map(
      fingerprintOf,
    )
    const ours = (await endpoints.list()).filter(({ id, status }) => known.has(id) && status !== 'deleted')
    const shown = ours.find(({ status }) => status === 'active') ?? ours[0]
    if (!shown) return { webhook: null }
    const { url, status, publicKey } = shown
    const isKeyKnown = publicKey === null || keys.includes(fingerprintOf(publicKey))
    return { webhook: { url, status, isKeyKnown } }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return providerProblems.find((kind) => kind === error.kind) ?? 'unavailable'
  }
}

/** Problems of a provider that did not respond, or that is down. */
const silent: ReadonlySet<string> = new Set(['unavailable', 'unreachable', 'timeout'])

/** Outcomes of a call that mean that the provider did not serve it. */
const failures: ReadonlySet<string> = new Set(['unauthorized', 'unavailable', 'unreadable', 'unreachable', 'timeout'])

async function callsOfProcess() {
  const { values } = await upstreamDuration.get()
  const byOutcome = new Map<string, number>()
  for (const { metricName, labels, value } of values)
    if (metricName?.endsWith('_count')) {
      const outcome = String(labels['outcome'])
      byOutcome.set(outcome, (byOutcome.get(outcome) ?? 0) + value)
    }
  const sum = (counts: readonly (readonly [string, number])[]) => counts.reduce((all, [, count]) => all + count, 0)
  const ended = (await upstreamLastCall.get()).values
  const lastOf = (isOne: (outcome: string) => boolean) => {
    const seconds = ended.flatMap(({ labels, value }) => (isOne(String(labels.outcome)) ? [value] : []))
    return seconds.length === 0 ? null : isoTime(new Date(Math.max(...seconds) * 1_000))
  }
  return {
    total: sum([...byOutcome]),
    failed: sum([...byOutcome].filter(([outcome]) => failures.has(outcome))),
    byOutcome: Object.fromEntries(byOutcome),
    lastSuccessAt: lastOf((outcome) => outcome === 'ok'),
    lastFailureAt: lastOf((outcome) => failures.has(outcome)),
  }
}

async function refusedOfProcess(): Promise<number> {
  return (await eventsRefused.get()).values.reduce((all, { value }) => all + value, 0)
}
