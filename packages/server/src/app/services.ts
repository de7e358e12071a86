// Connects the subjects: each lists its needs in its `ports.ts`, and two subjects that need each other meet only here,
// in functions.

import { channelsMax } from '../alerts/channels.ts'
import type { Alerts, SendsAlerts } from '../alerts/ports.ts'
import type { ApiKeyCache } from '../businesses/api-key-cache.ts'
import type { LastUsedBuffer } from '../businesses/last-used-buffer.ts'
import type { ApiKeys } from '../businesses/ports.ts'
import type { RequestLogBuffer } from '../businesses/requests/buffer.ts'
import type { Deposits } from '../deposits/ports.ts'
import { refreshEndUser } from '../end-users/kyc/apply-verdict.ts'
import { getKycLinks } from '../end-users/kyc/links.ts'
import type { Kyc, Verdicts } from '../end-users/kyc/ports.ts'
import { submitKyc } from '../end-users/kyc/submit.ts'
import type { Terms } from '../end-users/ports.ts'
import type { EndUserRow } from '../end-users/service.ts'
import { createTosLink } from '../end-users/tos-links.ts'
import type { GroupCommit } from '../events/ingest/group-commit.ts'
import { ingestEvent } from '../events/ingest/ingest.ts'
import type { Applies, Ingests } from '../events/ingest/ports.ts'
import type { LocalRelay } from '../events/local-relay.ts'
import type { Streams } from '../events/stream/ports.ts'
import type { EventReaders } from '../events/stream/readers.ts'
import type { InformationRequests } from '../information-requests/ports.ts'
import { settleLink } from '../onboarding/links.ts'
import type { OnboardingPages, OpensPages } from '../onboarding/ports.ts'
import type { Core, ServerCore } from '../platform/core.ts'
import { createSender } from '../platform/guarded-http/sender.ts'
import type { RequestScope, Turn } from '../platform/http/scope.ts'
import type { Audience } from '../platform/postgres/listening/audience.ts'
import type { ProviderClient } from '../provider/adapters.ts'
import { reconnectProvider, resumeDelivery } from '../provider/connection/connection.ts'
import type { SandboxControl } from '../provider/emulator.ts'
import { readProvider } from '../provider/operations/operations.ts'
import type { Provider } from '../provider/port.ts'
import type { Reconciles } from '../reconcile/ports.ts'
import type { Sandbox } from '../sandbox/ports.ts'
import type { SignsIn } from '../sign-in/ports.ts'
import { Issuers } from '../sign-in/protocol/issuers.ts'
import type { OpensAccounts } from '../virtual-accounts/ports.ts'
import { followVerdict } from '../virtual-accounts/standing/verdict.ts'
import type { Delivers } from '../webhooks/delivery/ports.ts'
import type { Endpoints } from '../webhooks/endpoints/ports.ts'
import { eventHandlersOf } from './event-handlers.ts'
import { createOperatorCauses } from './operator/causes.ts'
import type { OperatorStatus } from './operator/operations.ts'
import { createProviderStatus } from './operator/provider.ts'

/** The started parts of a process; used by main.ts and app/ only. */
export type Running = ServerCore & {
  provider: ProviderClient
  /** Null unless the provider is the sandbox provider. */
  sandbox: SandboxControl | null
  apiKeyCache: ApiKeyCache
  lastUsedBuffer: LastUsedBuffer
  requestLog: RequestLogBuffer
  /** The name under which this process holds lanes. */
  instanceId: string
  /** The role of this process; `api`: requests only, `relay`: background work only. */
  role: 'all' | 'api' | 'relay'
  /** The relay of this process, for the code that stores deliveries. */
  localRelay: LocalRelay
  /** Commits the provider's events, many in one transaction. */
  groupCommit: GroupCommit
  /** Requests that wait for the next event of a business. */
  eventReaders: EventReaders
  /** Onboarding pages that wait for a change. They do not use the reader places of the business. */
  pageReaders: EventReaders
  audience: Audience
  /**
   * Verifies a provider signature over the raw bytes, against the configured keys and those that `provider connect`
   * stored.
   */
  verifyEvent: Ingests['verifyEvent']
}

/** Alerts have separate connections, so that their receivers never hold up deliveries. */
const alertLimits = { timeoutMs: 10_000, connectionsPerPool: 2 * channelsMax, poolsMax: 200, connectionsMax: 200 }

export type Services = ReturnType<typeof servicesOf>

/**
 * Each function creates the dependencies of a subject.
 * @param scope of a request, which releases its turn while it waits for the provider; null for the operator and the
 * loops
 */
export function servicesOf(running: Running) {
  const { provider, instanceId } = running
  const readProviderStatus = createProviderStatus(running)
  const providerFor = providerByTurn(provider)
  const pages = { isSandbox: running.sandbox !== null, pageOrigins: provider.traits.pageOrigins }

  const kyc = (core: Core, scope: RequestScope | null): Kyc => ({
    ...core,
    provider: providerFor(scope),
    followVerdict: (user) => followVerdict(accounts(core, scope), user),
    settleLinks: (tx, user) => settleLink(core, tx, user),
  })

  const terms = (core: Core, scope: RequestScope | null): Terms => withProvider(core, () => providerFor(scope))

  const verdicts: (core: Core, scope: RequestScope | null) => Verdicts = kyc

  const accounts = (core: Core, scope: RequestScope | null): OpensAccounts =>
    Object.assign(
      withProvider(core, () => providerFor(scope)),
      { refreshEndUser: async (user: EndUserRow) => void (await refreshEndUser(verdicts(core, scope), user)) },
    )

  const sandbox = (core: Core, scope: RequestScope | null): Sandbox => ({
    ...core,
    provider: providerFor(scope),
    sandbox: running.sandbox,
    reconnectProvider: () => reconnectProvider({ ...running, provider: providerFor(scope) }),
  })

  const onboardingPages = (core: Core, scope: RequestScope | null): OnboardingPages => ({
    ...core,
    provider,
    pageReaders: running.pageReaders,
    async listOccupations() {
      const { occupations } = providerFor(scope)
      return occupations === null ? [] : await readProvider(() => occupations.list())
    },
    submitKyc: (...given) => submitKyc(kyc(core, scope), ...given),
    createTosLink: (...given) => createTosLink(terms(core, scope), ...given),
    readHostedPage: (business, externalUserId, currency) =>
      getKycLinks(kyc(core, scope), business, externalUserId, { currency }),
  })

  return {
    /** For subjects without dependencies. */
    core: <C extends Core>(core: C): C => core,
    alerts: alertsOf(readProviderStatus),
    operatorStatus: (core: ServerCore): OperatorStatus => ({ ...core, instanceId, readProviderStatus }),
    accounts,
    kyc,
    onboardingPages,
    opensPages: (core: ServerCore): OpensPages => ({ ...core, ...pages }),
    sandbox,
    terms,
    verdicts,
    ...callerServicesOf(running),
    ...eventServicesOf(running, verdicts, accounts),
  }
}

const alertsOf =
  (readProviderStatus: OperatorStatus['readProviderStatus']) =>
  (core: ServerCore): Alerts & SendsAlerts => ({
    ...core,
    sender: createSender({ allowLoopback: core.config.mode === 'sandbox', ...alertLimits }),
    readOperatorCauses: createOperatorCauses({ ...core, readProviderStatus }),
  })

/** Keys and sessions. */
function callerServicesOf({ apiKeyCache, lastUsedBuffer }: Running) {
  const issuers = new Issuers()
  return {
    apiKeys: <C extends Core>(core: C): C & ApiKeys => ({ ...core, apiKeyCache, lastUsedBuffer }),
    signsIn: (core: Core): SignsIn => ({ ...core, apiKeyCache, lastUsedBuffer, issuers }),
  }
}

/**
 * Adds a provider that is created on first use: few requests call it, and creating one costs 5 µs. Spreading the object
 * would create it.
 */
function withProvider(core: Core, make: () => Provider): Core & { provider: Provider } {
  return {
    ...core,
    get provider() {
      return make()
    },
  }
}

/** One for each turn: its calls are counted together, and the turn is released until the last of them has ended. */
function providerByTurn(provider: ProviderClient) {
  const known = new WeakMap<Turn, Provider>()
  return (scope: RequestScope | null): Provider => {
    if (scope === null) return provider
    const made = known.get(scope.turn) ?? provider.during(scope.turn)
    known.set(scope.turn, made)
    return made
  }
}

type Hand<Deps> = (core: Core, scope: null) => Deps

/** Ingests, applies and sends events, and reads what no event reported. */
function eventServicesOf(running: Running, verdicts: Hand<Verdicts>, accounts: Hand<OpensAccounts>) {
  const { provider, localRelay, groupCommit, eventReaders, verifyEvent } = running
  const atProvider = (core: Core): Deposits & InformationRequests => ({ ...core, provider })
  const eventHandlerOf = eventHandlersOf({
    endUsers: verdicts,
    informationRequests: atProvider,
    accounts,
    deposits: atProvider,
  })
  const ingests = <C extends Core>(core: C): C & Ingests => ({
    ...core,
    provider,
    groupCommit,
    verifyEvent,
    eventHandlerOf,
  })
  return {
    endpoints: (core: Core): Endpoints => ({ ...core, provider }),
    ingests,
    applies: (core: Core): Applies => ({ ...core, provider, eventHandlerOf }),
    reconciles: (core: ServerCore): Reconciles => ({
      ...verdicts(core, null),
      ...core,
      provider,
      async ingestListed(rawBody) {
        const { outcome } = await ingestEvent(ingests(core), { rawBody, trust: 'verified' })
        return outcome !== 'duplicate'
      },
      resumeDelivery: (eventId) => resumeDelivery({ ...core, provider }, eventId),
    }),
    streams: (core: Core): Streams => ({ ...core, eventReaders }),
    delivers: (core: ServerCore): Delivers => ({ ...core, localRelay }),
  }
}
