// What requests for information need from others.

import type { Core } from '../platform/core.ts'
import type { Provider } from '../provider/port.ts'

export type InformationRequests = Core & { provider: Pick<Provider, 'informationRequests'> }
