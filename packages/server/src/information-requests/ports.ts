// Dependencies of information requests.

import type { Core } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'

export type InformationRequests = Core & { provider: Pick<Provider, 'informationRequests'> }
