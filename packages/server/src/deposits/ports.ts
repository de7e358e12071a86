// Dependencies of deposits.

import type { Core } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'

export type Deposits = Core & { provider: Pick<Provider, 'deposits'> }
