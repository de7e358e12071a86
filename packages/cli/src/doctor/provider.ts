// The provider: reachable, our key accepted, and its webhooks on their way to us, signed by a key that we know.

import { createPublicKey } from 'node:crypto'
import type { Config } from '../../../server/src/platform/config.ts'
import type { Provider } from '../../../server/src/provider/bridge/client.ts'
import type { ProviderWebhook } from '../../../server/src/provider/bridge/wire/types.ts'
import { betaCategories, missingCategories } from '../../../server/src/provider/connection/connection.ts'
import type { ProviderWebhookRow } from '../../../server/src/provider/connection/webhooks.store.ts'
import { ProviderError } from '../../../server/src/provider/port.ts'
import { type Finding, firstOf, ok, problem, warning } from './check.ts'

/** @param stored null when the database could not be asked */
export async function checkProvider(
  provider: Pick<Provider, 'listWebhooks'>,
  config: Config,
  stored: readonly ProviderWebhookRow[] | null,
): Promise<Finding[]> {
  try {
    const webhooks = await provider.listWebhooks()
    return [ok('provider', 'reachable, and takes our key'), checkWebhook(webhooks, config, stored)]
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return [failureOf(error)]
  }
}

function failureOf({ kind, status }: ProviderError): Finding {
  const check = 'provider'
  const answer = status === null ? '' : ` (${status})`
  switch (kind) {
    case 'unauthorized':
      return problem(check, `It refuses our key${answer}.`, 'Set PROVIDER_API_KEY to a key of this PROVIDER_URL.')
    case 'rejected':
      return problem(check, `Our key may not read webhooks${answer}.`, 'Give it the scope to read and write webhooks.')
    case 'not_found':
      return problem(
        check,
        `PROVIDER_URL is not where its API begins${answer}.`,
        'It ends in the version, such as /v0.',
      )
    case 'unreadable':
      return problem(
        check,
        `It responds, but its response cannot be read${answer}.`,
        'Check that PROVIDER_URL is the address of its API; search the log for “provider response unreadable”.',
      )
    case 'unavailable':
      return problem(check, `It does not answer as it should${answer}.`, 'Look at its status page; check PROVIDER_URL.')
    default:
      return problem(check, 'It cannot be reached.', 'Check PROVIDER_URL, DNS, and that this host may connect to it.')
  }
}

function checkWebhook(
  webhooks: readonly ProviderWebhook[],
  { publicUrl, providerWebhookSignature, providerWebhookPublicKeys }: Config,
  stored: readonly ProviderWebhookRow[] | null,
): Finding {
  const check = 'provider webhooks'
  const connect = 'Run: causeway provider connect --url https://…/v0/webhooks/provider'
  const grave = providerWebhookSignature === 'required' ? problem : warning
  const known = new Set((stored ?? []).map(({ id }) => id))
  const expected = publicUrl === undefined ? null : `${publicUrl}/v0/webhooks/provider`
  const present = webhooks.filter(({ status }) => status !== 'deleted')
  const ours = present.filter(({ id, url }) => known.has(id) || url === expected)
  const active = ours.filter(({ status }) => status === 'active')
  const keys = [...(stored ?? []).map(({ publicKey }) => publicKey), ...(providerWebhookPublicKeys ?? [])].map(
    fingerprint,
  )
  const missing = missingCategories(active)
  const strange = active.find(({ publicKey }) => publicKey !== null && !keys.includes(fingerprint(publicKey)))
  return firstOf(
    [
      // One that is not at PUBLIC_URL may be ours, under another address.
      stored === null && active.length === 0 && present.length > ours.length && cannotTell('where it sends its events'),
      ours.length === 0 &&
        grave(check, 'None of ours is registered: events come late, by reconciliation only.', connect),
      active.length === 0 && grave(check, 'Ours is registered and not active.', connect),
      strange !== undefined && stored === null && cannotTell('whether its signing key is known'),
      strange !== undefined &&
        problem(check, 'The provider signs by a key that is not known here: its events are refused.', connect),
      missing.length > 0 &&
        (missing.every((category) => betaCategories.has(category)) ? warning : problem)(
          check,
          `It sends no events of ${missing.join(', ')}: ${lateFor(missing)} by reconciliation only.`,
          connect,
        ),
      expected !== null &&
        !active.some(({ url }) => url === expected) &&
        warning(check, 'It sends to another address than PUBLIC_URL.', connect),
    ],
    ok(check, 'registered, active, and their key is known'),
  )
}

function cannotTell(what: string): Finding {
  const remedy =
    'Let this command read the database of the service, by DATABASE_URL, or stop the server and run it again.'
  return warning('provider webhooks', `Not checked: ${what}. The database was not read.`, remedy)
}

const lateFor = (categories: readonly string[]): string => {
  if (categories.includes('virtual_account.activity')) return 'deposits are seen late,'
  return categories.every((category) => betaCategories.has(category))
    ? 'information requests are seen late,'
    : 'changes of end-users are seen late,'
}

/** Of the key itself, however its PEM is wrapped; of what is none, the text. */
function fingerprint(pem: string): string {
  try {
    return createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64')
  } catch {
    return pem
  }
}
