// `causeway logs tail`: the requests of a business's keys, filtered by the server, one line a request.

import { setTimeout as wait } from 'node:timers/promises'
import { Api, type Query } from '../../../sdk/src/core/api.ts'
import { Transport } from '../../../sdk/src/core/request.ts'
import type { ApiRequest } from '../../../sdk/src/index.ts'
import type { Context, Flags } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson, safeText } from '../output/safe-text.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'
import { clock, interruptOf, isPassing, outageTeller } from './interrupt.ts'

// A request is listed when its answer has gone out, so that a long one appears below shorter ones that began later.
const lookBackMax = 100
const readMax = 2_000
const pollMs = 1_000
const ownPath = '/v0/requests'

export async function tailLogs(context: Context): Promise<number> {
  const { terminal, flags } = context
  const target = await resolveTarget(context)
  const api = new Api(new Transport({ baseUrl: target.baseUrl, apiKey: requireKey(target), retriesMax: 0 }))
  const signal = interruptOf(terminal)
  const outage = outageTeller(terminal, 'server')
  const query = queryOf(flags)
  let known = new Set((await readNew(api, query, new Set())).all)
  terminal.complain(`Requests at ${target.baseUrl}, as they come. Ctrl-C ends.`)
  while (!signal.aborted) {
    await wait(pollMs, undefined, { signal }).catch(() => {})
    try {
      const { fresh, all } = await readNew(api, query, known)
      outage.isBack()
      known = all
      for (const request of fresh.toReversed()) {
        const isOwn = request.path === ownPath && flags['path'] === undefined
        if (!isOwn) terminal.print(flags['json'] ? safeJson(request) : lineOf(request))
      }
    } catch (failure) {
      if (!isPassing(failure)) throw failure
      outage.lost(failure.message)
    }
  }
  return exitCodes.interrupted
}

/** Reads back to what is known. @returns the new requests, newest first, and the ids to know the next time */
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
  const given = ['status', 'method', 'path', 'keyId'].map((name) => [name, flags[name]])
  return { limit: 100, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) }
}

function lineOf({ createdAt, method, path, status, durationMs, error, requestId }: ApiRequest): string {
  const cells = [
    clock(new Date(createdAt)),
    method.padEnd(6),
    path.padEnd(44),
    String(status),
    `${Math.round(durationMs)} ms`.padStart(8),
    requestId,
    error ?? '',
  ]
  return cells.map(safeText).join('  ').trimEnd()
}
