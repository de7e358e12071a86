// Which events an endpoint gets: all of them, or those that are named.

import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../components/ui/button.tsx'
import { Input } from '../../../components/ui/form.tsx'
import { suggestedFilters } from '../../../session/event-types.ts'

type Props = { value: readonly string[]; onChange: (eventTypes: string[]) => void }

export function EventTypesField({ value, onChange }: Props) {
  const isAll = value.includes('*')
  const name = useId()
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">Event types</legend>
      <label className="inline-flex items-center gap-2">
        <input
          type="radio"
          name={name}
          className="size-4 accent-accent"
          checked={isAll}
          onChange={() => onChange(['*'])}
        />
        All events, including new types
      </label>
      <label className="inline-flex items-center gap-2">
        <input
          type="radio"
          name={name}
          className="size-4 accent-accent"
          checked={!isAll}
          onChange={() => onChange(['virtual_account.*'])}
        />
        Selected types only
      </label>
      {!isAll && <Names value={value} onChange={onChange} />}
    </fieldset>
  )
}

function Names({ value, onChange }: Props) {
  const [text, setText] = useState('')
  const listId = useId()
  const add = () => {
    const added = text.split(/[\s,]+/).filter((name) => name !== '' && !value.includes(name))
    if (added.length > 0) onChange([...value, ...added])
    setText('')
  }
  return (
    <div className="grid gap-2 pl-6">
      <ul className="flex flex-wrap gap-1.5">
        {value.map((name) => (
          <li
            key={name}
            className="inline-flex max-w-full items-center gap-0.5 rounded-full bg-sunken py-0.5 pr-0.5 pl-2.5"
          >
            <code className="min-w-0 break-all font-mono text-xs">{name}</code>
            <Button
              variant="ghost"
              size="sm"
              className="h-6 rounded-full px-1"
              aria-label={`Remove ${name}`}
              disabled={value.length === 1}
              onClick={() => onChange(value.filter((one) => one !== name))}
            >
              <X />
            </Button>
          </li>
        ))}
      </ul>
      <div className="flex gap-2">
        <Input
          list={listId}
          aria-label="Add an event type"
          placeholder="end_user.* or a whole name"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault() // the form is not sent by the key that adds a name
            add()
          }}
        />
        <datalist id={listId}>
          {suggestedFilters.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Button disabled={text.trim() === ''} onClick={add}>
          Add
        </Button>
      </div>
    </div>
  )
}
