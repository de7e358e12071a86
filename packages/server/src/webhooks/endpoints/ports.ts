// Dependencies of webhook endpoints.

import type { Core } from '../../platform/core.ts'
import type { Events } from '../../provider/port.ts'

/** Knows the types that the provider sends, to warn about others. */
export type Endpoints = Core & { provider: { events: Pick<Events, 'types'> } }
