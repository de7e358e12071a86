// A filter by days of UTC, both inclusive: a few usual ranges, or two dates.

import { useState } from 'react'
import { Input, Select } from '../ui/form.tsx'

type Props = {
  from: string | undefined
  to: string | undefined
  onChange: (range: { from?: string | undefined; to?: string | undefined }) => void
}

const dayMs = 86_400_000
const dayBefore = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)

const presets = [
  [0, 'Today (UTC)'],
  [6, 'Last 7 days'],
  [29, 'Last 30 days'],
] as const

/** A preset sets its first day in the URL. */
export function DayRangeFilter({ from, to, onChange }: Props) {
  const [isOpen, setOpen] = useState(false)
  const preset = to === undefined ? presets.find(([days]) => from === dayBefore(days))?.[0] : undefined
  const isRange = isOpen || (preset === undefined && (from !== undefined || to !== undefined))
  const choose = (value: string) => {
    setOpen(value === 'range')
    if (value !== 'range') onChange({ from: value === '' ? undefined : dayBefore(Number(value)), to: undefined })
  }
  return (
    <>
      <Select
        aria-label="Days"
        className="w-auto max-w-60 max-sm:min-w-32 max-sm:flex-1"
        value={isRange ? 'range' : (preset ?? '')}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">Any time</option>
        {presets.map(([days, words]) => (
          <option key={days} value={days}>
            {words}
          </option>
        ))}
        <option value="range">From – to (UTC)</option>
      </Select>
      {isRange && (
        <>
          <Day label="From" value={from} onChoose={(day) => onChange({ from: day })} />
          <Day label="To" value={to} onChoose={(day) => onChange({ to: day })} />
        </>
      )}
    </>
  )
}

type DayProps = { label: string; value: string | undefined; onChoose: (day: string | undefined) => void }

/** As wide as the whole date and its picker. */
function Day({ label, value, onChoose }: DayProps) {
  return (
    <Input
      type="date"
      aria-label={label}
      className="w-40 px-2 max-sm:w-full"
      value={value ?? ''}
      onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
    />
  )
}
