// The words of one provider stay in its adapter: the rest of the server speaks of "the provider", in the words of the port.

import type { Finding } from './finding.ts'
import { isUnder, server } from './layout.ts'

/** Where the provider may be named. */
const homes: readonly string[] = [
  `${server}provider/bridge/`,
  `${server}provider/adapters.ts`,
  `${server}provider/emulator.ts`,
  `${server}platform/config.ts`,
]

/** Fields of our API and of the audit log that have the provider's name, and keep it. */
const publicNames = /\bbridge_wallet_id\b|\bdestinationBridgeWalletId\b|\bconducts_money_services_using_bridge\b/g

/** The provider's name, and words of its API that Causeway does not use. */
const words = new RegExp(
  [
    'bridge',
    ...[
      'awaiting_questionnaire',
      'awaiting_ubo',
      'manual_review',
      'has_not_accepted_tos',
      'requires_active_kyc_status',
    ],
    ...['missing_required_endorsements', 'endorsement_requirements_not_met', 'duplicate_record', 'aml_violation'],
    ...['developer_limits_exceeded', 'event_object', 'event_category', 'x-webhook-signature', 'session_token'],
    ...['on_developer', 'simulate_kyc', 'existing_kyc_link', 'source_deposit_instructions', 'account_update\\b'],
    ...['virtual_account\\.activity', "'kyc_link'", "'rfi'", "'activation'", "'deactivation'"],
  ].join('|'),
)
const name = /bridge/i

/** Finds each line of the server outside the adapter that has a word of the provider. */
export function findProviderWords(texts: ReadonlyMap<string, string>): Finding[] {
  return [...texts]
    .filter(([path]) => isUnder(path, server) && !homes.some((home) => isUnder(path, home)))
    .flatMap(([path, text]) =>
      text.split('\n').flatMap((line, index) => {
        const left = line.replaceAll(publicNames, '')
        if (!name.test(left) && !words.test(left)) return []
        const remedy = 'Say it in the words of provider/port.ts; the adapter translates.'
        return [{ path, line: index + 1, problem: 'has a word of one provider', remedy }]
      }),
    )
}
