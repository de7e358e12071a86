// Selection in a list of deliveries, and resending it. Selecting all matching deliveries is a separate second step.

import { Send } from 'lucide-react'
import { useState } from 'react'
import { titleOf } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { retrySelected } from './delivery-queries.ts'

export type Selection = ReadonlySet<string>

export const nothingSelected: Selection = new Set()

type Props = { selection: Selection; onSelect: (selection: Selection) => void }

export function SelectionBar({ selection, onSelect }: Props) {
  const [done, setDone] = useState<number | null>(null)
  if (selection.size === 0) return null
  const send = async () => {
    setDone(0)
    const refusal = await retrySelected([...selection], setDone)
    setDone(null)
    onSelect(nothingSelected)
    if (refusal === null)
      toast.success(`${selection.size === 1 ? '1 delivery' : `${selection.size} deliveries`} queued for resending.`)
    else toast.error(`Some deliveries were not resent. ${titleOf(refusal)}`)
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-accent-soft px-4 py-2">
      <span className="font-medium">{selection.size} selected</span>
      <Button size="sm" variant="primary" disabled={done !== null} onClick={() => void send()}>
        <Send /> {done === null ? 'Resend' : `${done} of ${selection.size}`}
      </Button>
      <Button variant="ghost" size="sm" onClick={() => onSelect(nothingSelected)}>
        Clear selection
      </Button>
    </div>
  )
}
