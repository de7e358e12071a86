// What the connection to the provider needs: the webhook endpoints there.

import type { Core } from '../../platform/core.ts'
import type { Provider } from '../port.ts'

export type Connects = Core & { provider: Pick<Provider, 'endpoints'> }
