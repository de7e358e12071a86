// What is selected of a list of deliveries, and sending it again. All that the filter finds is a second step of its own.

import { Send } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { type DeliverySearch, retrySelected } from './delivery-queries.ts'
import { ResendFound } from './resend-found.tsx'

export type Selection = { kind: 'ids'; ids: ReadonlySet<string> } | { kind: 'filter' }

export const nothingSelected: Selection = { kind: 'ids', ids: new Set() }

type Props = {
  selection: Selection
  onSelect: (selection: Selection) => void
  search: DeliverySearch
  /** How many rows the page has. */
  pageCount: number
}

export function SelectionBar({ selection, onSelect, search, pageCount }: Props) {
  if (selection.kind === 'ids' && selection.ids.size === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-accent-soft px-4 py-2">
      {selection.kind === 'filter' ? (
        <>
          <span className="font-medium">All failed deliveries that the filter finds are selected.</span>
          <ResendFound search={search} />
        </>
      ) : (
        <Some ids={selection.ids} onSelect={onSelect} search={search} pageCount={pageCount} />
      )}
      <Button variant="ghost" size="sm" onClick={() => onSelect(nothingSelected)}>
        Select none
      </Button>
    </div>
  )
}

type SomeProps = Omit<Props, 'selection'> & { ids: ReadonlySet<string> }

function Some({ ids, onSelect, search, pageCount }: SomeProps) {
  const [done, setDone] = useState<number | null>(null)
  const send = async () => {
    setDone(0)
    const refusal = await retrySelected([...ids], setDone)
    setDone(null)
    onSelect(nothingSelected)
    if (refusal === null)
      toast.success(`${ids.size === 1 ? 'The delivery is' : `${ids.size} deliveries are`} sent again.`)
    else toast.error(`Not all were sent again. ${titleOf(refusal)}`)
  }
  return (
    <>
      <span className="font-medium">{ids.size} selected</span>
      <Button size="sm" variant="primary" disabled={done !== null} onClick={() => void send()}>
        <Send /> {done === null ? 'Send again' : `${done} of ${ids.size}`}
      </Button>
      {ids.size === pageCount && search.status === 'failed' && (
        <Button size="sm" onClick={() => onSelect({ kind: 'filter' })}>
          Select all that the filter finds
        </Button>
      )}
      {ids.size === pageCount && search.status !== 'failed' && (
        <span className="text-soft text-xs">Filter by “Failed” to select more than this page.</span>
      )}
    </>
  )
}
