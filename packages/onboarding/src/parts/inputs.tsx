// The controls by the kind of a question.

import { type ChangeEvent, useId, useState } from 'react'
import type { Question } from '../form/question.ts'
import { nameOf } from '../texts/texts.ts'
import { useShared, useTexts } from './context.ts'
import { countriesIn } from './countries.ts'
import { Field, type FieldProps, GroupField } from './field.tsx'
import { PhotoField } from './photo-field.tsx'
import { isSearched, SearchField } from './search-field.tsx'

type Option = { value: string; label: string }

export function Input(props: FieldProps) {
  if (isSearched(props.question)) return <SearchField {...props} />
  switch (props.question.kind) {
    case 'yesNo':
      return <YesNoField {...props} />
    case 'choice':
      return <WordField {...props} />
    case 'country':
      return <CountryField {...props} />
    case 'countries':
      return <CountriesField {...props} />
    case 'subdivision':
      return <ChoiceField {...props} options={props.question.options ?? []} />
    case 'photo':
    case 'paper':
      return <PhotoField {...props} />
    default:
      return <TextField {...props} />
  }
}

const textOf = ({ answers, question }: FieldProps): string => {
  const answer = answers[question.path]
  return typeof answer === 'string' ? answer : ''
}

type Keyboard = { type: string; inputMode?: 'numeric'; maxLength?: number; autoCapitalize?: string }
const plain: Keyboard = { type: 'text' }
const keyboards: Partial<Record<Question['kind'], Keyboard>> = {
  email: { type: 'email' },
  tel: { type: 'tel' },
  url: { type: 'text', autoCapitalize: 'none' },
  date: { type: 'date' },
  percent: { type: 'text', inputMode: 'numeric', maxLength: 3 },
  number: { type: 'text', autoCapitalize: 'characters' },
}

function TextField(props: FieldProps) {
  const { question, problem, answers, onAnswer, onLeave } = props
  const shared = {
    value: textOf(props),
    onBlur: onLeave,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onAnswer(currentTarget.value),
  }
  return (
    <Field question={question} problem={problem} answers={answers}>
      {(attributes) =>
        question.kind === 'long' ? (
          <textarea {...attributes} {...shared} rows={3} />
        ) : (
          <input
            {...attributes}
            {...shared}
            {...(keyboards[question.kind] ?? plain)}
            autoComplete={question.autoComplete ?? 'off'}
          />
        )
      }
    </Field>
  )
}

function ChoiceField({ options, ...props }: FieldProps & { options: readonly Option[] }) {
  const { question, problem, onAnswer, onLeave } = props
  return (
    <Field question={question} problem={problem}>
      {(attributes) => (
        <Select
          {...attributes}
          options={options}
          value={textOf(props)}
          onBlur={onLeave}
          onValue={onAnswer}
          autoComplete={question.autoComplete ?? 'off'}
        />
      )}
    </Field>
  )
}

/** The characters of a closed list that fit on a phone of 360 px; longer texts are repeated below it. */
const charsOnPhone = 26

type SelectProps = Omit<React.ComponentProps<'select'>, 'onChange' | 'value'> & {
  options: readonly Option[]
  value: string
  onValue: (value: string) => void
}

function Select({ options, onValue, ...attributes }: SelectProps) {
  const texts = useTexts()
  const chosen = options.find(({ value }) => value === attributes.value)?.label ?? ''
  return (
    <>
      <select {...attributes} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        <option value="">{texts.page.choose}</option>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {chosen.length > charsOnPhone && (
        <p aria-hidden className="soft repeated">
          {chosen}
        </p>
      )}
    </>
  )
}

function WordField(props: FieldProps) {
  const { texts, language } = useShared()
  const { question, onAnswer } = props
  const { choices = [], otherChoices = [] } = question
  const answer = textOf(props)
  const [isOther, setOther] = useState(otherChoices.includes(answer))
  const optionOf = (word: string) => ({ value: word, label: nameOf(texts, word, question.names) })
  const options = choices.map(optionOf)
  if (otherChoices.length === 0) return <ChoiceField {...props} options={options} />
  const byName = new Intl.Collator(language)
  const others = otherChoices.map(optionOf).toSorted((one, other) => byName.compare(one.label, other.label))
  const shown = isOther ? { ...props.answers, [question.path]: another } : props.answers
  return (
    <>
      <ChoiceField
        {...props}
        answers={shown}
        problem={isOther ? undefined : props.problem}
        options={[...options, { value: another, label: texts.page.another }]}
        onAnswer={(chosen) => {
          setOther(chosen === another)
          onAnswer(chosen === another ? undefined : chosen)
        }}
      />
      {isOther && <ChoiceField {...props} question={{ ...question, label: 'other_kind' }} options={others} />}
    </>
  )
}

/** No word of the provider. */
const another = '+'

function CountryField(props: FieldProps) {
  return <ChoiceField {...props} options={countriesIn(useShared().language)} />
}

const countriesMax = 10

function CountriesField({ question, answers, problem, onAnswer, onLeave }: FieldProps) {
  const { texts, language } = useShared()
  const answer = answers[question.path]
  const chosen: readonly string[] = Array.isArray(answer) && answer.length > 0 ? answer : ['']
  return (
    <GroupField question={question} problem={problem}>
      {chosen.map((country, index) => (
        <Select
          // biome-ignore lint/suspicious/noArrayIndexKey: a place in the list is all that tells two choices apart
          key={index}
          aria-label={`${texts.field[question.label]} ${index + 1}`}
          options={countriesIn(language)}
          value={country}
          onBlur={onLeave}
          onValue={(value) => onAnswer(chosen.map((each, at) => (at === index ? value : each)))}
        />
      ))}
      {chosen.length < countriesMax && chosen.at(-1) !== '' && (
        <button type="button" className="quiet" onClick={() => onAnswer([...chosen, ''])}>
          {texts.page.add}
        </button>
      )}
    </GroupField>
  )
}

function YesNoField({ question, answers, problem, onAnswer, onLeave }: FieldProps) {
  const texts = useTexts()
  const name = useId()
  return (
    <GroupField question={question} problem={problem}>
      <div className="pair">
        {([true, false] as const).map((value) => (
          <label key={String(value)} className="option">
            <input
              type="radio"
              name={name}
              checked={answers[question.path] === value}
              onChange={() => onAnswer(value)}
              onBlur={onLeave}
            />
            {value ? texts.page.yes : texts.page.no}
          </label>
        ))}
      </div>
    </GroupField>
  )
}
