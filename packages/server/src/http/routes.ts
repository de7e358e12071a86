// Every route of the service, by noun.

import type { ServerDeps } from '../services/deps.ts'
import type { App } from './app.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { capabilityRoutes } from './routes/capabilities.ts'
import { customerRoutes } from './routes/customers.ts'
import { depositInstructionsRoutes } from './routes/deposit-instructions.ts'
import { depositRoutes } from './routes/deposits.ts'
import { docsRoutes } from './routes/docs.ts'
import { endUserRoutes } from './routes/end-users.ts'
import { eventRoutes } from './routes/events.ts'
import { kycRequirementRoutes } from './routes/kyc-requirements.ts'
import { onboardingRoutes } from './routes/onboarding.ts'
import { redeliveryRoutes } from './routes/redelivery.ts'
import { replayRoutes } from './routes/replays.ts'
import { sandboxRoutes } from './routes/sandbox.ts'
import { systemRoutes } from './routes/system.ts'
import { virtualAccountRoutes } from './routes/virtual-accounts.ts'
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts'
import { webhookRoutes } from './routes/webhooks.ts'

export const routes: readonly ((app: App, deps: ServerDeps) => void)[] = [
  endUserRoutes,
  onboardingRoutes,
  kycRequirementRoutes,
  virtualAccountRoutes,
  depositInstructionsRoutes,
  depositRoutes,
  webhookRoutes,
  webhookEndpointRoutes,
  replayRoutes,
  eventRoutes,
  redeliveryRoutes,
  apiKeyRoutes,
  capabilityRoutes,
  customerRoutes,
  sandboxRoutes,
  systemRoutes,
  docsRoutes,
]

/** What a process answers that serves no callers: whether it is alive and ready, and what it measures. */
export const probeRoutes: typeof routes = [systemRoutes]
