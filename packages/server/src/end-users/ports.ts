// Dependencies of end-user records and their Terms-of-Service links.

import type { Core } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'

export type Terms = Core & { provider: Pick<Provider, 'terms' | 'traits'> }
