// `causeway requests tail`: the requests of a business's keys, filtered by the server, one line per request.

import { setTimeout as wait } from 'node:timers/promises'
import { Api, type Query } from '../../../sdk/src/core/api.ts'
import { Transport } from '../../../sdk/src/core/request.ts'
import type { ApiRequest } from '../../../sdk/src/index.ts'
import type { Context, Flags, Terminal } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson } from '../output/safe-text.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'
import { clock, interruptOf, isPassing, outageTeller } from './interrupt.ts'
import { streamLine } from './stream-line.ts'

// A request is listed after its response was sent, so a long request appears below shorter ones that began later.
const lookBackMax = 100
const readMax = 2_000
const pollMs = 1_000
const ownPath = '/v0/requests'

export async function tailRequests(context: Context): Promise<number> {
  const { terminal, flags } = context
  const target = await resolveTarget(context)
  const api = new Api(new Transport({ baseUrl: target.baseUrl, apiKey: requireKey(target), retriesMax: 0 }))
  const signal = interruptOf(terminal)
  const outage = outageTeller(terminal, 'server')
  const query = queryOf(flags)
  let known = new Set((await readNew(api, query, new Set())).all)
  terminal.complain(`Streaming requests of ${target.baseUrl}. Press Ctrl-C to stop.`)
  while (!signal.aborted) {
    await wait(pollMs, undefined, { signal }).catch(() => {})
    try {
      const { fresh, all } = await readNew(api, query, known)
      outage.isBack()
      known = all
      for (const request of fresh.toReversed()) {
        const isOwn = request.path === ownPath && flags['path'] === undefined
        if (!isOwn) terminal.print(flags['json'] ? safeJson(request) : lineOf(terminal, request))
      }
    } catch (failure) {
      if (!isPassing(failure)) throw failure
      outage.lost(failure.message)
    }
  }
  return exitCodes.interrupted
}

/** Reads back to known requests. @returns the new requests, newest first, and the IDs that are known next time */
async function readNew(api: Api, query: Query<'listRequests'>, known: ReadonlySet<string>) {
  const fresh: ApiRequest[] = []
  const all = new Set<string>()
  let since = 0
  for await (const request of api.list('listRequests', { query })) {
    all.add(request.requestId)
    if (known.has(request.requestId)) since++
    else fresh.push(request)
    const isFirst = known.size === 0
    if (since >= lookBackMax || all.size >= (isFirst ? lookBackMax * 2 : readMax)) break
  }
  return { fresh, all }
}

function queryOf(flags: Flags): Query<'listRequests'> {
  const given = ['status', 'method', 'path', 'credentialId'].map((name) => [name, flags[name]])
  return { limit: 100, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
}

function lineOf(
  terminal: Terminal,
  { createdAt, method, path, status, durationMs, error, requestId }: ApiRequest,
): string {
  return streamLine(terminal, [
    { text: clock(new Date(createdAt)), width: 8 },
    { text: method, width: 6 },
    { text: path, width: 44, isFlexible: true },
    { text: String(status), width: 3 },
    { text: `${Math.round(durationMs)} ms`.padStart(8), width: 8 },
    ...(error === null ? [] : [{ text: error, width: error.length, isFlexible: true } as const]),
    { text: requestId, width: 30 },
  ])
}
