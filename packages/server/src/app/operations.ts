// Every declared operation of the API, by noun: for the document, the SDK, the command line and the tests over all operations.

import { alertOperations, operatorAlertOperations } from '../alerts/operations.ts'
import { auditOperations } from '../audit/operations.ts'
import { customerOperations } from '../businesses/customers.operations.ts'
import { apiKeyOperations } from '../businesses/operations.ts'
import { requestOperations } from '../businesses/requests/operations.ts'
import { consoleLinkOperations } from '../console/links.operations.ts'
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
import type { Operation } from '../platform/http/operation.ts'
import { sandboxOperations } from '../sandbox/operations.ts'
import { customerSignInOperations, signInOperations } from '../sign-in/operations.ts'
import { statsOperations } from '../stats/operations.ts'
import { instructionOperations } from '../virtual-accounts/instructions/operations.ts'
import { virtualAccountOperations } from '../virtual-accounts/operations.ts'
import { webhookEndpointOperations } from '../webhooks/endpoints/operations.ts'
import { customerWebhookUrlOperations, webhookUrlOperations } from '../webhooks/endpoints/webhook-url.operations.ts'
import { replayOperations } from '../webhooks/replay/operations.ts'
import { redeliveryOperations } from '../webhooks/replay/redelivery.operations.ts'
import { capabilityOperations } from './capabilities.operations.ts'
import { businessLogOperations } from './operator/business-logs.operations.ts'
import { operatorStatusOperations } from './operator/operations.ts'

export const allOperations: readonly Operation[] = [
  ...endUserOperations,
  ...kycOperations,
  ...onboardingLinkOperations,
  ...brandingOperations,
  ...onboardingEntryOperations,
  ...onboardingPageOperations,
  ...virtualAccountOperations,
  ...instructionOperations,
  ...depositOperations,
  ...informationRequestOperations,
  ...operatorInformationRequestOperations,
  ...webhookUrlOperations,
  ...ingestOperations,
  ...webhookEndpointOperations,
  ...replayOperations,
  ...eventOperations,
  ...redeliveryOperations,
  ...statsOperations,
  ...alertOperations,
  ...operatorAlertOperations,
  ...apiKeyOperations,
  ...consoleLinkOperations,
  ...signInOperations,
  ...staffOperations,
  ...operatorStaffOperations,
  ...requestOperations,
  ...auditOperations,
  ...capabilityOperations,
  ...customerOperations,
  ...customerWebhookUrlOperations,
  ...customerSignInOperations,
  ...businessLogOperations,
  ...heldEventOperations,
  ...operatorStatusOperations,
  ...sandboxOperations,
]
