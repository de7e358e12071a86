// The provider: reachable, our key accepted, and its webhooks on their way to us, signed by a key that we know.

import type { Config } from '../../../server/src/platform/config.ts'
import { missingCategories } from '../../../server/src/provider/connection/connection.ts'
import { fingerprintOf } from '../../../server/src/provider/connection/event-keys.ts'
import type { ProviderWebhookRow } from '../../../server/src/provider/connection/webhooks.store.ts'
import { type Endpoint, type Endpoints, type Provider, ProviderError } from '../../../server/src/provider/port.ts'
import { type Finding, firstOf, ok, problem, seconds, warning } from './check.ts'

/** Stored facts about the connection to the provider. */
export type Stored = { webhooks: readonly ProviderWebhookRow[]; lastEventAt: Date | null }

/** @param stored null when the database could not be asked */
export async function checkProvider(
  provider: Pick<Provider, 'endpoints' | 'ping'>,
  config: Config,
  stored: Stored | null,
  now: () => number,
): Promise<Finding[]> {
  const { endpoints } = provider
  try {
    const theirs = endpoints === null ? await provider.ping() : await endpoints.list()
    return [
      ok('provider', 'reachable, and accepts the API key'),
      endpoints && theirs ? checkWebhook(endpoints, theirs, config, stored) : checkArrival(config, stored, now),
    ]
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return [failureOf(error, endpoints === null)]
  }
}

/** For a provider where a person registers our endpoint: whether its key is known, and its events come. */
function checkArrival(
  { publicUrl, providerWebhookPublicKeys }: Config,
  stored: Stored | null,
  now: () => number,
): Finding {
  const address = `${publicUrl ?? 'https://…'}/v0/webhooks/provider`
  const register = `Register ${address} in the provider's dashboard.`
  const hasKey = providerWebhookPublicKeys !== undefined || (stored !== null && stored.webhooks.length > 0)
  const last = stored?.lastEventAt ?? null
  return firstOf(
    [
      !hasKey &&
        problem(
          check,
          'No public key of the provider is configured, so its events are rejected.',
          `${register} Set PROVIDER_WEBHOOK_PUBLIC_KEYS to the public key that the dashboard shows.`,
        ),
      stored === null && cannotTell('whether events arrive'),
      last === null &&
        warning(
          check,
          'A public key is configured, but none of the newest 1,000 events came from the provider.',
          register,
        ),
    ],
    ok(check, `a public key is configured, newest event ${seconds((now() - (last?.getTime() ?? 0)) / 1_000)} ago`),
  )
}

function failureOf({ kind, status }: ProviderError, isByHand: boolean): Finding {
  const check = 'provider'
  const answer = status === null ? '' : ` (${status})`
  switch (kind) {
    case 'unauthorized':
      return problem(
        check,
        `The provider rejects the API key${answer}.`,
        'Set PROVIDER_API_KEY to a key for this PROVIDER_URL.',
      )
    case 'rejected':
      return isByHand
        ? problem(check, `The API key cannot read${answer}.`, 'Give the key the scopes that Causeway needs.')
        : problem(
            check,
            `The API key cannot read webhooks${answer}.`,
            'Give the key the scopes to read and write webhooks.',
          )
    case 'not_found':
      return problem(
        check,
        `PROVIDER_URL is not the base URL of the provider's API${answer}.`,
        'The URL must end with the version, such as /v0.',
      )
    case 'unreadable':
      return problem(
        check,
        `The provider responds, but its response cannot be read${answer}.`,
        'Check that PROVIDER_URL is the base URL of its API, and search the log for “provider response unreadable”.',
      )
    case 'unavailable':
      return problem(check, `The provider returned an error${answer}.`, 'Check its status page and PROVIDER_URL.')
    default:
      return problem(check, 'The provider cannot be reached.', 'Check PROVIDER_URL, DNS and the firewall.')
  }
}

const check = 'provider webhooks'

function checkWebhook(
  endpoints: Endpoints,
  theirs: readonly Endpoint[],
  { publicUrl, providerWebhookSignature, providerWebhookPublicKeys }: Config,
  stored: Stored | null,
): Finding {
  const connect = 'Run: causeway provider connect --url https://…/v0/webhooks/provider'
  const grave = providerWebhookSignature === 'required' ? problem : warning
  const webhooks = stored?.webhooks ?? []
  const known = new Set(webhooks.map(({ id }) => id))
  const expected = publicUrl === undefined ? null : `${publicUrl}/v0/webhooks/provider`
  const present = theirs.filter(({ status }) => status !== 'deleted')
  const ours = present.filter(({ id, url }) => known.has(id) || url === expected)
  const active = ours.filter(({ status }) => status === 'active')
  const keys = [...webhooks.map(({ publicKey }) => publicKey), ...(providerWebhookPublicKeys ?? [])].map(fingerprintOf)
  const missing = missingCategories(endpoints, active)
  const strange = active.find(({ publicKey }) => publicKey !== null && !keys.includes(fingerprintOf(publicKey)))
  return firstOf(
    [
      // One that is not at PUBLIC_URL may be ours, under another address.
      stored === null &&
        active.length === 0 &&
        present.length > ours.length &&
        cannotTell('which webhook belongs to this deployment'),
      ours.length === 0 &&
        grave(
          check,
          'No webhook of this deployment is registered. Events arrive late, through reconciliation only.',
          connect,
        ),
      active.length === 0 && grave(check, 'The webhook of this deployment is not active.', connect),
      strange !== undefined && stored === null && cannotTell('whether the signing key of the provider is known'),
      strange !== undefined &&
        problem(check, 'The provider signs with an unknown key, so its events are rejected.', connect),
      missing.length > 0 &&
        (missing.every((category) => endpoints.optional.has(category)) ? warning : problem)(
          check,
          `The provider sends no events of ${missing.join(', ')}. Causeway sees ${lateOf(endpoints, missing)} late, through reconciliation only.`,
          connect,
        ),
      expected !== null &&
        !active.some(({ url }) => url === expected) &&
        warning(check, 'The provider sends events to another URL than PUBLIC_URL.', connect),
    ],
    ok(check, 'registered, active, signing key known'),
  )
}

function cannotTell(what: string): Finding {
  const remedy = 'Set DATABASE_URL to the database of the service, or stop the server. Then run this command again.'
  return warning(check, `Not checked: ${what}. The database was not read.`, remedy)
}

/** Lists the most important objects whose events do not arrive. */
function lateOf({ needed }: Endpoints, categories: readonly string[]): string {
  const about = new Set(categories.map((category) => needed.get(category)))
  if (about.has('deposit')) return 'deposits'
  if (about.has('customer') || about.has('hosted_kyc')) return 'changes of end-users'
  return about.has('information_request') ? 'information requests' : 'changes'
}
