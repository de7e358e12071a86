// Every route of the service, by noun.

import { alertOperations, operatorAlertOperations } from '../alerts/operations.ts'
import { auditOperations } from '../audit/operations.ts'
import { customerOperations } from '../businesses/customers.operations.ts'
import { apiKeyOperations } from '../businesses/operations.ts'
import { requestOperations } from '../businesses/requests/operations.ts'
import { consoleLinkOperations } from '../console/links.operations.ts'
import type { Consoles } from '../console/ports.ts'
import { consoleSessionRoutes } from '../console/sessions.routes.ts'
import { operatorStaffOperations, staffOperations } from '../console/staff.operations.ts'
import { depositOperations } from '../deposits/operations.ts'
import { kycOperations } from '../end-users/kyc/operations.ts'
import { endUserOperations } from '../end-users/operations.ts'
import { heldEventOperations } from '../events/held/operations.ts'
import { ingestOperations } from '../events/ingest/operations.ts'
import { eventOperations } from '../events/operations.ts'
import {
  informationRequestOperations,
  operatorInformationRequestOperations,
} from '../information-requests/operations.ts'
import { brandingOperations } from '../onboarding/branding.operations.ts'
import { onboardingLinkOperations } from '../onboarding/links.operations.ts'
import { onboardingEntryOperations, onboardingPageOperations } from '../onboarding/page.operations.ts'
import { onboardingSiteRoutes } from '../onboarding/site.ts'
import type { ServerCore } from '../platform/core.ts'
import type { App } from '../platform/http/app.ts'
import { serve } from '../platform/http/serve.ts'
import { sandboxOperations } from '../sandbox/operations.ts'
import { findEndSessionUrl } from '../sign-in/logout.ts'
import { customerSignInOperations, signInOperations } from '../sign-in/operations.ts'
import type { SignsIn } from '../sign-in/ports.ts'
import { signInRoutes } from '../sign-in/routes.ts'
import { statsOperations } from '../stats/operations.ts'
import { instructionOperations } from '../virtual-accounts/instructions/operations.ts'
import { virtualAccountOperations } from '../virtual-accounts/operations.ts'
import { webhookEndpointOperations } from '../webhooks/endpoints/operations.ts'
import { customerWebhookUrlOperations, webhookUrlOperations } from '../webhooks/endpoints/webhook-url.operations.ts'
import { replayOperations } from '../webhooks/replay/operations.ts'
import { redeliveryOperations } from '../webhooks/replay/redelivery.operations.ts'
import { capabilityOperations } from './capabilities.operations.ts'
import { docsRoutes } from './docs/routes.ts'
import { businessLogOperations } from './operator/business-logs.operations.ts'
import { operatorStatusOperations } from './operator/operations.ts'
import type { Services } from './services.ts'
import { systemRoutes } from './system.routes.ts'

export const routes: readonly ((app: App, core: ServerCore, services: Services) => Promise<void> | void)[] = [
  (app, deps, { terms }) => serve(app, deps, endUserOperations, terms),
  (app, deps, { kyc }) => serve(app, deps, kycOperations, kyc),
  (app, deps, { core }) => serve(app, deps, onboardingLinkOperations, core),
  (app, deps, { core }) => serve(app, deps, brandingOperations, core),
  (app, deps, { opensPages }) => serve(app, deps, onboardingEntryOperations, opensPages),
  (app, deps, { onboardingPages }) => serve(app, deps, onboardingPageOperations, onboardingPages),
  (app, deps, { opensPages }) => onboardingSiteRoutes(app, opensPages(deps)),
  (app, deps, { accounts }) => serve(app, deps, virtualAccountOperations, accounts),
  (app, deps, { core }) => serve(app, deps, instructionOperations, core),
  (app, deps, { core }) => serve(app, deps, depositOperations, core),
  (app, deps, { core }) => serve(app, deps, informationRequestOperations, core),
  (app, deps, { core }) => serve(app, deps, operatorInformationRequestOperations, core),
  (app, deps, { core }) => serve(app, deps, webhookUrlOperations, core),
  (app, deps, { ingests }) => serve(app, deps, ingestOperations, ingests),
  (app, deps, { endpoints }) => serve(app, deps, webhookEndpointOperations, endpoints),
  (app, deps, { core }) => serve(app, deps, replayOperations, core),
  (app, deps, { streams }) => serve(app, deps, eventOperations, streams),
  (app, deps, { core }) => serve(app, deps, redeliveryOperations, core),
  (app, deps, { core }) => serve(app, deps, statsOperations, core),
  (app, deps, { core }) => serve(app, deps, alertOperations, core),
  (app, deps, { core }) => serve(app, deps, operatorAlertOperations, core),
  (app, deps, { apiKeys }) => serve(app, deps, apiKeyOperations, apiKeys),
  (app, deps, { apiKeys }) => serve(app, deps, consoleLinkOperations, apiKeys),
  (app, deps, { core }) => serve(app, deps, signInOperations, core),
  (app, deps, { signsIn }) => consoleSessionRoutes(app, endingAtIssuer(signsIn(deps))),
  (app, deps, { signsIn }) => signInRoutes(app, signsIn(deps)),
  (app, deps, { core }) => serve(app, deps, staffOperations, core),
  (app, deps, { core }) => serve(app, deps, operatorStaffOperations, core),
  (app, deps, { core }) => serve(app, deps, requestOperations, core),
  (app, deps, { core }) => serve(app, deps, auditOperations, core),
  (app, deps, { accounts }) => serve(app, deps, capabilityOperations, accounts),
  (app, deps, { apiKeys }) => serve(app, deps, customerOperations, apiKeys),
  (app, deps, { core }) => serve(app, deps, customerWebhookUrlOperations, core),
  (app, deps, { core }) => serve(app, deps, customerSignInOperations, core),
  (app, deps, { core }) => serve(app, deps, businessLogOperations, core),
  (app, deps, { core }) => serve(app, deps, heldEventOperations, core),
  (app, deps, { operatorStatus }) => serve(app, deps, operatorStatusOperations, operatorStatus),
  (app, deps, { sandbox }) => serve(app, deps, sandboxOperations, sandbox),
  systemRoutes,
  (app, deps, { apiKeys }) => docsRoutes(app, apiKeys(deps)),
]

/** The console signs out, and the sign-in knows the page where the issuer does. */
const endingAtIssuer = (deps: SignsIn): Consoles => ({
  ...deps,
  findEndSessionUrl: (businessId, origin) => findEndSessionUrl(deps, businessId, origin),
})

/** Routes of a process that serves no callers: liveness, readiness and metrics. */
export const probeRoutes: typeof routes = [systemRoutes]
