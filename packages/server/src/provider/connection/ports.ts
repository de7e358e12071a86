// Dependencies of the connection to the provider: its webhook endpoints.

import type { Core } from '../../platform/core.ts'
import type { Provider } from '../port.ts'

export type Connects = Core & { provider: Pick<Provider, 'endpoints'> }
