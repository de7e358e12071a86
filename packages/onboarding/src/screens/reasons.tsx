// Why something is asked for again, in plain words of the language of the page.

import type { OpenError, PageState } from '../client.ts'
import { useShared } from '../parts/context.ts'
import type { Texts } from '../texts/en.ts'

type Reason = keyof Texts['reason']

/** The rejection reasons that the provider publishes, by what they begin with. */
const rejections: readonly (readonly [RegExp, Reason])[] = [
  [/^cannot validate id/i, 'unclear'],
  [/^cannot accept provided id/i, 'notAccepted'],
  [/^incorrect id type/i, 'wrongType'],
  [/^same side/i, 'sameSide'],
  [/^no government id/i, 'noId'],
  [/^id is expired/i, 'id_expired'],
  [/^inconsistent or incomplete/i, 'inconsistent'],
]

const families: readonly (readonly [RegExp, Reason])[] = [
  [/^residence_address_invalid/, 'residence_address_invalid'],
  [/^sole_proprietorship/, 'sole_proprietorship'],
  [/too_young$/, 'too_young'],
]

/** @param personId of the person of a company who is asked about, whom the provider names by an id */
export function Reasons({ state, personId }: { state: PageState; personId: string | undefined }) {
  const { texts } = useShared()
  const { requirements } = state
  const person = requirements.associatedPersons.find(({ id }) => id === personId)
  const open = person ?? requirements
  const rejected = person ? [] : state.rejectionReasons.map((reason) => textOfRejection(texts, reason))
  const told = [...rejected, ...open.errors.map((error) => textOfError(texts, error))]
  return (
    <div className="notice">
      <p>{told.length > 0 ? texts.form.correctIntro : texts.form.missingIntro}</p>
      {told.length > 0 && (
        <ul>
          {[...new Set(told)].map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function textOfError({ reason }: Texts, { code }: OpenError): string {
  if (code in reason) return reason[code as Reason]
  const family = families.find(([pattern]) => pattern.test(code))?.[1]
  return reason[family ?? 'other']
}

/** A reason that is new to us is shown as the provider wrote it. */
function textOfRejection({ reason }: Texts, text: string): string {
  const known = rejections.find(([pattern]) => pattern.test(text))?.[1]
  return known === undefined ? text : reason[known]
}
