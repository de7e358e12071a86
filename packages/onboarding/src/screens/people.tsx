// The owners and managers of a company.

import { type FormEvent, useState } from 'react'
import { atOf } from '../form/steps.ts'
import type { Form } from '../form/use-form.ts'
import { useTexts } from '../parts/context.ts'
import type { Texts } from '../texts/en.ts'
import { fill } from '../texts/texts.ts'
import { Actions } from './actions.tsx'

/** As it was typed, or a number. */
export function nameOf(texts: Texts, { held }: Form, person: string): string {
  const of = (member: string) => String(held.answers[`${atOf(person)}${member}`] ?? '')
  const name = `${of('first_name')} ${of('last_name')}`.trim()
  return name === '' ? fill(texts.form.person, { number: held.people.indexOf(person) + 1 }) : name
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
              <span>{name}</span>
              <button
                type="button"
                className="quiet"
                aria-label={fill(texts.page.edit, { name })}
                onClick={() => form.goTo(`${atOf(person)}role`)}
              >
                {texts.page.change}
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
