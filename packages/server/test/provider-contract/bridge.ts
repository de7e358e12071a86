// The adapter for Bridge on trial.

import { startSandboxProcess } from '../../../cli/src/world/sandbox-process.ts'
import type { Json, JsonObject } from '../../src/platform/values/json.ts'
import { isJsonObject } from '../../src/platform/values/json.ts'
import { createBridge } from '../../src/provider/bridge/bridge.ts'
import { drawBridgeDeposits } from './bridge-deposits.ts'
import type { Candidate } from './worlds.ts'

/** No decision comes before its command. */
const weekMs = String(7 * 24 * 3_600_000)

const refuses = (code: string): JsonObject => ({ path: '^/v0/', mode: 'refuse', code })

/** Where the wire has words that may grow. */
const openWords = /^(status|type|kyc_status|tos_status|state|payment_rail)$/

export const bridge: Candidate = {
  make: ({ origin, ...options }) => createBridge({ baseUrl: `${origin}/v0`, isEmulated: true, ...options }),
  start: (port, stateDir) =>
    startSandboxProcess({ port, stateDir, args: ['--kyc-decision-ms', weekMs, '--strict-agreements'] }),
  refusals: {
    already_there: refuses('duplicate_record'),
    frozen: refuses('frozen'),
    not_enabled: refuses('not_allowed'),
    limit_reached: refuses('developer_limits_exceeded'),
    not_served: { path: '^/v0/', mode: 'status', status: 403, body: { code: 'aml_violation', message: 'No.' } },
  },
  decisions: {
    request_questionnaire: { verdict: 'action_required', due: 'source_of_funds_questionnaire' },
    announce_requirements: { verdict: 'approved', later: true, usd: 'active' },
    revoke_endorsement: { usd: 'revoked' },
    pause: { verdict: 'paused', pause: 'review', usd: 'pending' },
    restrict_deposits: { verdict: 'paused', pause: 'deposits_restricted', usd: 'pending' },
    offboard: { verdict: 'offboarded', pause: null },
  },
  strange: (response) => replaced(response) as JsonObject,
  draw: drawBridgeDeposits,
}

function replaced(value: Json): Json {
  if (Array.isArray(value)) return value.map(replaced)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      openWords.test(name) && typeof inner === 'string' ? 'word_of_tomorrow' : replaced(inner),
    ]),
  )
}
