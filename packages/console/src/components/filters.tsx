// The filters above a list. The URL holds their values.

import { ChevronDown, Search, X } from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from './ui/button.tsx'
import { Input, Select } from './ui/form.tsx'

/** @param onClear shown where a filter is set */
export function FilterBar({ children, onClear }: { children: ReactNode; onClear?: (() => void) | undefined }) {
  const [round, setRound] = useState(0)
  return (
    <search className="print:hidden flex flex-wrap items-center gap-2 border-line border-b px-4 py-2.5">
      {/* New fields: what is typed and has not been asked for yet is cleared as well. */}
      <Fragment key={round}>{children}</Fragment>
      {onClear && (
        <Button
          variant="ghost"
          size="sm"
          onClick={() => {
            setRound(round + 1)
            onClear()
          }}
        >
          <X /> Clear filters
        </Button>
      )}
    </search>
  )
}

/** Filters that are needed seldom, below the others on request. @param activeCount how many of them are set */
export function MoreFilters({ activeCount, children }: { activeCount: number; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button variant="ghost" size="sm" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <ChevronDown className={isOpen ? 'rotate-180' : ''} />
        {activeCount === 0 ? 'More filters' : `More filters (${activeCount} active)`}
      </Button>
      <div
        id={id}
        hidden={!isOpen}
        className="order-last flex basis-full flex-wrap items-center gap-2 [&[hidden]]:hidden"
      >
        {children}
      </div>
    </>
  )
}

const typingMs = 250

/** Asks when the typing pauses. The key `/` leads here. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
}: {
  label: string
  placeholder: string
  value: string
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const shown = useRef(value)
  useEffect(() => {
    if (value === shown.current) return
    shown.current = value
    setText(value)
  }, [value])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      shown.current = next.trim()
      onSearch(next.trim())
    }, typingMs)
  }
  return (
    <div className="relative w-full sm:w-72">
      <Search aria-hidden="true" className="absolute top-2.5 left-2.5 size-4 text-soft" />
      <Input
        type="search"
        data-search=""
        aria-label={label}
        placeholder={placeholder}
        className="pl-8"
        value={text}
        onChange={(event) => type(event.target.value)}
      />
    </div>
  )
}

/** A choice of one value, or of none. */
export function SelectFilter({
  label,
  all,
  value,
  options,
  onSelect,
}: {
  label: string
  /** Words for “no filter”, such as “All statuses”. */
  all: string
  value: string | undefined
  options: readonly (readonly [value: string, words: string])[]
  onSelect: (value: string | undefined) => void
}) {
  return (
    <Select
      aria-label={label}
      className="w-auto max-w-60 max-sm:min-w-32 max-sm:flex-1"
      value={value ?? ''}
      onChange={(event) => onSelect(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">{all}</option>
      {options.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </Select>
  )
}
