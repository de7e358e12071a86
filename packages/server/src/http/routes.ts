// Every route of the service, by noun.

import type { Deps } from '../services/deps.ts'
import type { App } from './app.ts'
import { systemRoutes } from './routes/system.ts'

export const routes: readonly ((app: App, deps: Deps) => void)[] = [systemRoutes]
