// What records of end-users and their Terms-of-Service links need from others.

import type { Core } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'

export type Terms = Core & { provider: Pick<Provider, 'terms' | 'traits'> }
