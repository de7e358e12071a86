// Dependencies of alerts.

import type { ServerCore } from '../platform/core.ts'
import type { Sender } from '../platform/guarded-http/sender.ts'
import type { JsonObject } from '../platform/values/json.ts'
import type { OperatorAlertKind } from './kinds.rules.ts'

/** A cause of an operator alert that holds now. */
export type OperatorCause = { kind: OperatorAlertKind; details: JsonObject }

export type Alerts = ServerCore & {
  /** Reads the causes that hold now. @returns null if they cannot be read */
  readOperatorCauses(): Promise<OperatorCause[] | null>
}

export type SendsAlerts = ServerCore & { sender: Sender }
