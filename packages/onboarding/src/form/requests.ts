// Requests of the form: the questions of a country, the check of values, and the submission.

import { type Client, Refused } from '../client.ts'
import type { Trail } from '../trail.ts'
import { bodyOf } from './body.ts'
import { isSameAddress } from './company.ts'
import { ofAnyCountry } from './identity.ts'
import { type Problems, problemsAt } from './judge.ts'
import type { Answers } from './question.ts'
import { type Held, operatingAt, type Plan, partiesOf, type Step } from './steps.ts'

export type FormProps = {
  client: Client
  trail: Trail
  plan: Plan
  held: Held
  onHeld: (change: (held: Held) => Held) => void
  /** The agreement to the terms, where it was accepted on this page. */
  agreement: string | null
  onSending: (isSending: boolean) => void
  onSent: () => Promise<void>
  /** The agreement was not taken: the terms have to be accepted once more. */
  onTermsLost: () => Promise<void>
}

/** Why a request failed, shown above the button. */
export type Failure = { text: 'offline' | 'failed' | 'refused' | 'tooSlow'; requestId: string | null }

export async function withRequirements(
  { client, plan, held }: FormProps,
  { path, at }: NonNullable<Step['country']>,
): Promise<Held> {
  const country = held.answers[path]
  // A company that operates from its registered address has no second country.
  if (at === operatingAt && (isSameAddress(held.answers) || country === undefined)) return held
  const requirements = await client.requirements(String(country), partyAt(plan, at))
  const usual = requirements.identityDocuments.taxId.usual[0]?.type
  // Most have the usual number and a document of the country they live in.
  const document =
    at === operatingAt
      ? {}
      : {
          [`${at}photo_id.issuing_country`]: String(country),
          ...(usual !== undefined && !ofAnyCountry.has(usual) && { [`${at}tax_id.type`]: usual }),
        }
  return {
    ...held,
    answers: { ...document, ...held.answers },
    requirements: { ...held.requirements, [at]: requirements },
  }
}

const partyAt = (plan: Plan, at: string): Plan['type'] => (at.startsWith('people.') ? 'individual' : plan.type)

/** Has the server check the current values, except photos, which are checked when they are taken. */
export async function judged(
  { client, plan, held }: FormProps,
  { steps, answers }: { steps: readonly Step[]; answers: Answers },
  signal?: AbortSignal,
): Promise<Problems> {
  const read = { ...held, answers }
  const { party, people } = partiesOf(plan, read)
  const { body } = bodyOf(party, answers, { people, withPapers: false })
  const { problems: details } = await client.check(body, signal)
  return problemsAt(plan, read, { steps, details }).problems
}

/** @returns null when it was sent; else what is wrong with it */
export async function sent(
  { client, plan, held, agreement, onSent, onTermsLost }: FormProps,
  steps: readonly Step[],
  onPart: (part: number) => void,
): Promise<Problems | null> {
  const { party, people } = partiesOf(plan, held)
  const body = {
    ...bodyOf(party, held.answers, { people }).body,
    ...(agreement !== null && { signed_agreement_id: agreement }),
  }
  try {
    await client.submit(body, onPart)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (error.code === 'tos_not_accepted' || error.code === 'signed_agreement_invalid') {
      await onTermsLost()
      return null
    }
    // The state has changed in the meantime, or an earlier try has arrived: the page shows it.
    if (error.code !== 'kyc_not_resubmittable') {
      const { problems } = problemsAt(plan, held, { steps, details: error.details })
      if (Object.keys(problems).length === 0) throw error
      return problems
    }
  }
  await onSent()
  return null
}

const failures: Readonly<Record<string, Failure['text']>> = {
  offline: 'offline',
  provider_rejected: 'refused',
  too_slow: 'tooSlow',
}

export function failureOf(error: unknown): Failure {
  const { code, requestId } = error instanceof Refused ? error : { code: 'failed', requestId: null }
  return { text: failures[code] ?? 'failed', requestId }
}
