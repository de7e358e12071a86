// Onboards an end-user: performs each `nextAction` until none is left.

import type { Causeway, EndUser, KycSubmission } from '@causeway/sdk'
import type { eventsOf } from './events.ts'
import { acceptTerms } from './terms.ts'

export interface Applicant {
  readonly externalUserId: string
  readonly application: KycSubmission
  /** Files that are sent as separate parts, by their path in the application. */
  readonly files?: Readonly<Record<string, Blob>>
  /** Returns the corrected submission if data was missing or refused. `fields` are those of `nextAction`. */
  readonly correct?: (fields: readonly string[], endUser: EndUser) => KycSubmission | Promise<KycSubmission>
}

const ROUNDS_MAX = 10 // an applicant who sends the same data again would never finish

/** @returns every state of the end-user, the last at the end */
export async function onboard(
  api: Causeway,
  events: ReturnType<typeof eventsOf>,
  applicant: Applicant,
): Promise<EndUser[]> {
  const { externalUserId, files } = applicant
  const submit = (kyc: KycSubmission) => api.kyc.submit(externalUserId, kyc, files && { files })

  let endUser: EndUser = await api.endUsers.get(externalUserId)
  const states = [endUser]
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { kind, fields = [] } = endUser.nextAction
    if (kind === 'none') return states
    else if (kind === 'accept_tos') {
      const signed_agreement_id = await acceptTerms(api, externalUserId)
      endUser = await submit({ ...applicant.application, signed_agreement_id }) // the agreement goes with the data
    } else if (kind === 'submit_kyc') endUser = await submit(applicant.application)
    else if (kind === 'resubmit_kyc' && applicant.correct)
      endUser = await submit(await applicant.correct(fields, endUser))
    else if (kind === 'wait') endUser = await events.changeOf(endUser)
    else throw new Error(`${externalUserId}: only a person can go on from ${kind}`)
    states.push(endUser)
  }
  throw new Error(`${externalUserId} is still ${endUser.kycStatus} after ${ROUNDS_MAX} rounds`)
}

/** Asks what would be missing, and sends nothing to the provider. */
export async function missingOf(api: Causeway, { externalUserId, application, files }: Applicant): Promise<string[]> {
  const { requirements } = await api.kyc.submit(externalUserId, application, { dryRun: true, ...(files && { files }) })
  return requirements.currentlyDue
}
