// From when to when a log is shown. The address has times in UTC, the fields those of the reader's zone.

import { useId } from 'react'
import { localTime } from '../../../components/lists/filter-fields.tsx'
import { Input } from '../../../components/ui/form.tsx'

type Props = {
  from: string | undefined
  to: string | undefined
  onChange: (range: { from?: string | undefined; to?: string | undefined }) => void
}

export function TimeFilter({ from, to, onChange }: Props) {
  const fields = [
    ['From', from, (at: string | undefined) => onChange({ from: at })],
    ['To', to, (at: string | undefined) => onChange({ to: at })],
  ] as const
  const id = useId()
  return (
    <span className="flex flex-wrap gap-2 max-sm:w-full">
      {fields.map(([label, at, change]) => (
        <span key={label} className="inline-flex items-center gap-1.5 max-sm:w-full">
          <label htmlFor={`${id}-${label}`} className="w-8 text-soft text-xs sm:w-auto">
            {label}
          </label>
          <Input
            id={`${id}-${label}`}
            type="datetime-local"
            className="w-auto max-sm:min-w-0 max-sm:flex-1"
            value={localTime(at)}
            onChange={({ target }) => change(target.value === '' ? undefined : new Date(target.value).toISOString())}
          />
        </span>
      ))}
    </span>
  )
}
