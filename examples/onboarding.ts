// Onboarding, as `nextAction` leads: it says what comes next, and this does it, until nothing is open.

import type { Client } from './client.ts'
import type { eventsOf } from './events.ts'
import { acceptTerms } from './terms.ts'
import type { EndUser, Kyc } from './types.ts'

export interface Applicant {
  readonly externalUserId: string
  readonly application: Kyc
  /** Files that travel as parts of their own, by their place in the application. */
  readonly files?: Readonly<Record<string, Buffer>>
  /** What to send when something was missing or refused. `fields` is what `nextAction` names. */
  readonly correct?: (fields: readonly string[], endUser: EndUser) => Kyc | Promise<Kyc>
}

const ROUNDS_MAX = 10 // an applicant who sends the same again would go round for ever

/** Every state that the end-user was in, the last one at the end. */
export async function onboard(
  api: Client,
  events: ReturnType<typeof eventsOf>,
  applicant: Applicant,
): Promise<EndUser[]> {
  const path = `/v0/end-users/${encodeURIComponent(applicant.externalUserId)}`
  const submit = (kyc: Kyc) => api.post<EndUser>(`${path}/submit-kyc`, bodyOf(kyc, applicant.files))

  let endUser = await api.get<EndUser>(path)
  const states = [endUser]
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { kind, fields = [] } = endUser.nextAction
    if (kind === 'none') return states
    else if (kind === 'accept_tos') {
      const signed_agreement_id = await acceptTerms(api, applicant.externalUserId)
      endUser = await submit({ ...applicant.application, signed_agreement_id }) // the agreement goes with the data
    } else if (kind === 'submit_kyc') endUser = await submit(applicant.application)
    else if (kind === 'resubmit_kyc' && applicant.correct)
      endUser = await submit(await applicant.correct(fields, endUser))
    else if (kind === 'wait') endUser = await events.changeOf(endUser)
    else throw new Error(`${applicant.externalUserId}: only a person can go on from ${kind}`)
    states.push(endUser)
  }
  throw new Error(`${applicant.externalUserId} is still ${endUser.kycStatus} after ${ROUNDS_MAX} rounds`)
}

/** Asks what would be missing, and sends nothing to the provider. */
export async function missingOf(
  api: Client,
  { externalUserId, application, files }: Applicant,
): Promise<readonly string[]> {
  const path = `/v0/end-users/${encodeURIComponent(externalUserId)}/submit-kyc`
  const { requirements } = await api.post<EndUser>(path, bodyOf(application, files), { query: { dryRun: true } })
  return requirements.currentlyDue
}

function bodyOf(kyc: Kyc, files: Applicant['files']): Kyc | FormData {
  if (files === undefined) return kyc
  const form = new FormData()
  form.set('data', new Blob([JSON.stringify(kyc)], { type: 'application/json' }))
  for (const [place, file] of Object.entries(files))
    form.set(place, new Blob([new Uint8Array(file)], { type: 'image/png' }), 'image.png')
  return form
}
