// The owners and managers of a company.

import { type FormEvent, useState } from 'react'
import { atOf, type Step } from '../form/steps.ts'
import type { Form } from '../form/use-form.ts'
import { useTexts } from '../parts/context.ts'
import type { Texts } from '../texts/en.ts'
import { fill } from '../texts/texts.ts'
import { Actions } from './actions.tsx'

/** As it was typed, or a number. */
export function nameOf(texts: Texts, { held, steps }: Form, person: string): string {
  const of = (member: string) => String(held.answers[`${atOf(person)}${member}`] ?? '')
  const name = `${of('first_name')} ${of('last_name')}`.trim()
  if (name !== '') return name
  const people = [...new Set(steps.map(personOf))].filter((one) => one !== '')
  return fill(texts.form.person, { number: people.indexOf(person) + 1 })
}

/** The person whom a step is about. */
export const personOf = ({ at }: Pick<Step, 'at'>): string => /^people\.(.+)\.$/.exec(at)?.[1] ?? ''

/** The title, the share and the roles of a person, as far as they are known. */
export function rolesOf({ role }: Texts, { held: { answers } }: Form, person: string): string {
  const of = (member: string) => answers[`${atOf(person)}${member}`]
  const percent = String(of('ownership_percentage') ?? '')
  const roles = [
    of('has_control') === true && of('title'),
    of('has_ownership') === true && percent !== '' && fill(role.has_ownership, { percent }),
    of('has_control') === true && role.has_control,
    of('is_signer') === true && role.is_signer,
  ]
  return roles.filter((each) => typeof each === 'string').join(' · ')
}

export function PeopleStep({ form }: { form: Form }) {
  const texts = useTexts()
  const [isRefused, setRefused] = useState(false)
  const { people, answers } = form.held
  const hasManager = people.some((person) => answers[`${atOf(person)}has_control`] === true)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setRefused(!hasManager)
    if (hasManager) void form.next()
  }
  return (
    <form noValidate onSubmit={submit}>
      <p>{texts.form.peopleHint}</p>
      {people.length === 0 && <p className="soft">{texts.form.nobody}</p>}
      <ul className="cards">
        {people.map((person) => {
          const name = nameOf(texts, form, person)
          return (
            <li key={person}>
              <span>
                {name}
                <small className="soft">{rolesOf(texts, form, person)}</small>
              </span>
              <button
                type="button"
                className="quiet"
                aria-label={fill(texts.page.editOf, { name })}
                onClick={() => form.goTo(`${atOf(person)}role`)}
              >
                {texts.page.edit}
              </button>
              <button
                type="button"
                className="quiet"
                aria-label={`${texts.page.remove}: ${name}`}
                onClick={() => form.removePerson(person)}
              >
                {texts.page.remove}
              </button>
            </li>
          )
        })}
      </ul>
      <button type="button" className="secondary" onClick={form.addPerson}>
        {people.length === 0 ? texts.form.addPerson : texts.form.addAnother}
      </button>
      {isRefused && !hasManager && (
        <p className="problem" role="alert">
          {texts.form.oneMustManage}
        </p>
      )}
      <Actions form={form} />
    </form>
  )
}
