// What webhook endpoints need from others.

import type { Core } from '../../platform/core.ts'
import type { Events } from '../../provider/port.ts'

/** Knows the types that the provider sends, to warn of others. */
export type Endpoints = Core & { provider: { events: Pick<Events, 'types'> } }
