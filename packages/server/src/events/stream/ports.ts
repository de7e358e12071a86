// Dependencies of the event stream.

import type { Core } from '../../platform/core.ts'
import type { EventReaders } from './readers.ts'

/** Requests that wait for the next event of their business. */
export type Streams = Core & { eventReaders: Pick<EventReaders, 'open'> }
