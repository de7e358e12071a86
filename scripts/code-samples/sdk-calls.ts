// How the SDK spells each operation: the arguments are the id in the path, the query, the body, or members of these. What an
// example does not send is left out.

import { allOperations } from '../../packages/server/src/app/operations.ts'

/** Of the subjects that still declare routes. */
const undeclared: Readonly<Record<string, string>> = {
  createOnboardingLink: 'onboarding.createLink(at, body)',
  listOnboardingLinks: 'onboarding.links(at, query)',
  listAllOnboardingLinks: 'onboarding.allLinks(query)',
  revokeOnboardingLink: 'onboarding.revokeLink(at)',
  getBranding: 'onboarding.branding()',
  setBranding: 'onboarding.setBranding(body)',
  listInformationRequests: 'informationRequests.list(query)',
  getInformationRequest: 'informationRequests.get(at)',
  decideKyc: 'sandbox.decideKyc(body)',
  simulateDeposit: 'sandbox.simulateDeposit(body)',
  advanceDeposit: 'sandbox.advanceDeposit(at, body)',
  simulateInformationRequest: 'sandbox.simulateInformationRequest(body)',
  advanceInformationRequest: 'sandbox.advanceInformationRequest(at, body)',
  getSandboxClock: 'sandbox.clock()',
  moveSandboxClock: 'sandbox.moveClock(body)',
  resetSandbox: 'sandbox.reset()',
  acceptTerms: 'sandbox.acceptTerms(body)',
  listSandboxFaults: 'sandbox.faults()',
  addSandboxFault: 'sandbox.addFault(body)',
  clearSandboxFaults: 'sandbox.clearFaults()',
  listSandboxInboxes: 'sandbox.inboxes(query)',
  configureSandboxInbox: 'sandbox.configureInbox(at, body)',
}

const declared = allOperations.flatMap(({ id, sdk }) => (sdk === undefined ? [] : [[id, sdk] as const]))

export const sdkCalls: Readonly<Record<string, string>> = { ...undeclared, ...Object.fromEntries(declared) }
