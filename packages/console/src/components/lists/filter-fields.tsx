// Filters of a list that are typed: a name or an id, and a range of time.

import { useEffect, useId, useRef, useState } from 'react'
import { cn } from '../ui/cn.ts'
import { Input, Select } from '../ui/form.tsx'

const typingMs = 400

type TextProps = {
  label: string
  placeholder: string
  value: string | undefined
  onChange: (value: string | undefined) => void
  /** Offered while one types; any other text is taken as well. */
  suggestions?: readonly (readonly [value: string, words: string])[]
  /** The key `/` leads here. */
  isSearch?: boolean
  className?: string
}

/** Asks when the typing pauses. */
export function TextFilter({ label, placeholder, value = '', onChange, ...props }: TextProps) {
  const { suggestions, isSearch = false, className } = props
  const [text, setText] = useState(value)
  const asked = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const listId = useId()
  useEffect(() => {
    if (value === asked.current) return
    asked.current = value
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      asked.current = next.trim()
      onChange(asked.current === '' ? undefined : asked.current)
    }, typingMs)
  }
  return (
    <>
      <Input
        type="text"
        aria-label={label}
        placeholder={placeholder}
        className={cn('w-44 max-sm:w-auto max-sm:min-w-36 max-sm:flex-1', className)}
        value={text}
        onChange={(event) => type(event.target.value)}
        {...(suggestions && { list: listId })}
        {...(isSearch && { 'data-search': '' })}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map(([suggested, words]) => (
            <option key={suggested} value={suggested} label={words} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** The value of a `datetime-local` control, in the reader's zone. */
export function localTime(at: string | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** @returns the moment in UTC; undefined while it is not whole */
export function momentOf(local: string): string | undefined {
  const date = new Date(local)
  return local === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

type RangeProps = {
  from: string | undefined
  to: string | undefined
  onChange: (range: { from?: string | undefined; to?: string | undefined }) => void
}

const hourMs = 3_600_000

const presets = [
  ['1', 'Last hour'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
  ['720', 'Last 30 days'],
] as const

/** A time range, open at either end. A preset sets its start, which is then part of the URL. */
export function RangeFilter({ from, to, onChange }: RangeProps) {
  const [isOpen, setOpen] = useState(false)
  const isSet = from !== undefined || to !== undefined
  const choose = (value: string) => {
    setOpen(value === 'range')
    if (value === '') onChange({ from: undefined, to: undefined })
    else if (value !== 'range')
      onChange({ from: new Date(Date.now() - Number(value) * hourMs).toISOString(), to: undefined })
  }
  return (
    <>
      <Select
        aria-label="Time"
        className="w-auto max-w-60 max-sm:min-w-32 max-sm:flex-1"
        value={isSet || isOpen ? 'range' : ''}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">Any time</option>
        {presets.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
        <option value="range">From – to</option>
      </Select>
      {(isSet || isOpen) && (
        <>
          <Moment label="From" value={from} onChange={(next) => onChange({ from: next })} />
          <Moment label="To" value={to} onChange={(next) => onChange({ to: next })} />
        </>
      )}
    </>
  )
}

type MomentProps = { label: string; value: string | undefined; onChange: (value: string | undefined) => void }

function Moment({ label, value, onChange }: MomentProps) {
  const id = useId()
  return (
    <span className="flex items-center gap-1.5 text-soft text-xs max-sm:w-full">
      <label htmlFor={id} className="max-sm:w-10">
        {label}
      </label>
      <Input
        id={id}
        type="datetime-local"
        className="w-auto max-w-60 max-sm:min-w-32 max-sm:flex-1"
        value={localTime(value)}
        onChange={(event) => onChange(momentOf(event.target.value))}
      />
    </span>
  )
}
