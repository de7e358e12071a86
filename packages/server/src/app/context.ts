// What services are handed that have no ports of their own yet. Clock and randomness come in here and nowhere else.

import type { FastifyRequest } from 'fastify'
import type { ApiKeyCache } from '../businesses/api-key-cache.ts'
import type { LastUsedBuffer } from '../businesses/last-used-buffer.ts'
import type { RequestLogBuffer } from '../businesses/requests/buffer.ts'
import { refreshEndUser } from '../end-users/kyc/apply-verdict.ts'
import type { EndUserKey, EndUserRow } from '../end-users/store.ts'
import type { EventReaders } from '../events/stream/readers.ts'
import { settleLink } from '../onboarding/links.ts'
import type { Core } from '../platform/core.ts'
import { coreOfRequest } from '../platform/http/app.ts'
import type { Database } from '../platform/postgres/database.ts'
import type { Tx } from '../platform/postgres/query.ts'
import type { Provider } from '../provider/client.ts'
import type { SandboxControl } from '../provider/sandbox-control.ts'
import { followVerdict } from '../virtual-accounts/standing/verdict.ts'
import type { Running } from './services.ts'

declare module '../platform/http/app.ts' {
  interface Handed extends Deps {}
}

export type Deps = Core & {
  provider: Provider
  /** Null unless the provider is the emulator. */
  sandbox: SandboxControl | null
  lastUsedBuffer: LastUsedBuffer
  requestLog: RequestLogBuffer
  apiKeyCache: ApiKeyCache
  /** Of this process; under this name it holds lanes. */
  instanceId: string
  /** What this process does of the service; `api`: requests only, `relay`: what happens in the background only. */
  role: 'all' | 'api' | 'relay'
  /** Onboarding pages that wait for a change. They take no places of the business's own readers. */
  pageReaders: EventReaders
  /** Lets the virtual accounts follow a verdict that is committed. */
  followVerdict(user: EndUserKey): Promise<void>
  /** Ends the onboarding links that a verdict ends, in its transaction and behind its events. */
  settleLinks(tx: Tx, user: EndUserRow): Promise<void>
  /** Asks the provider for the verdict on the end-user. */
  refreshEndUser(user: EndUserRow): Promise<void>
}

/** With the whole database: for what crosses businesses. */
export type ServerDeps = Deps & Running & { db: Database }

type Followers = 'followVerdict' | 'settleLinks' | 'refreshEndUser'

/** Adds what subjects need of each other. */
export function composed<D extends Omit<Deps, Followers>>(deps: D): D & Pick<Deps, Followers> {
  const all = {
    ...deps,
    followVerdict: (user: EndUserKey) => followVerdict(all, user),
    settleLinks: (tx: Tx, user: EndUserRow) => settleLink(all, tx, user),
    refreshEndUser: async (user: EndUserRow) => void (await refreshEndUser(all, user)),
  } as D & Pick<Deps, Followers>
  return all
}

/** For a request of one business: to it no other's rows exist. */
export function depsFor(deps: ServerDeps, request: Pick<FastifyRequest, 'turn' | 'core'>): Deps {
  const { turn } = request
  const provider = turn === null ? deps.provider : deps.provider.during(turn)
  return composed({ ...deps, ...coreOfRequest(request), provider })
}
