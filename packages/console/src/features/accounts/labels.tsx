// The labels of an account: key and value, for the business's own use. They are replaced as a whole.

import type { VirtualAccount } from '@causeway/sdk'
import { Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { ActionForm } from '../../components/dialogs/action-form.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Input } from '../../components/ui/form.tsx'
import { changeAccount } from './queries.ts'

export function LabelsCard({ account, mayChange }: { account: VirtualAccount; mayChange: boolean }) {
  const labels = Object.entries(account.metadata)
  return (
    <Card title="Metadata" actions={mayChange && <EditLabels account={account} />}>
      {labels.length === 0 ? (
        <p className="text-soft">No metadata yet. Use key=value pairs, for example plan=gold, to find accounts.</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {labels.map(([key, value]) => (
            <li key={key} className="max-w-full">
              <Link
                to="/accounts"
                search={{ label: `${key}=${value}` }}
                className="inline-block max-w-full break-words rounded-md bg-sunken px-2 py-0.5 text-xs hover:underline"
              >
                <span className="text-soft">{key}=</span>
                {value}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

type Row = { id: number; key: string; value: string }

let serial = 0
const rowOf = ([key, value]: readonly [string, string]): Row => ({ id: serial++, key, value })

function EditLabels({ account }: { account: VirtualAccount }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title="Edit metadata"
      description="For your own use. Metadata is not sent to the provider. Do not add identity data."
      trigger={<Button size="sm">Edit</Button>}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <LabelForm account={account} onDone={() => setOpen(false)} />
    </Dialog>
  )
}

function LabelForm({ account, onDone }: { account: VirtualAccount; onDone: () => void }) {
  const [rows, setRows] = useState(() => [...Object.entries(account.metadata), ['', ''] as const].map(rowOf))
  const set = (id: number, change: Partial<Row>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...change } : row)))
  const save = async () => {
    const given = rows.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value] as const)
    await changeAccount(account.id, { metadata: Object.fromEntries(given) })
    toast.success('Metadata saved.')
    onDone()
  }
  return (
    <ActionForm action="Save" onSubmit={save}>
      <div className="grid gap-2">
        {rows.map(({ id, key, value }, at) => (
          <div key={id} className="flex items-center gap-2">
            <Input
              aria-label={`Key ${at + 1}`}
              placeholder="plan"
              value={key}
              onChange={({ target }) => set(id, { key: target.value })}
            />
            <Input
              aria-label={`Value ${at + 1}`}
              placeholder="gold"
              value={value}
              onChange={({ target }) => set(id, { value: target.value })}
            />
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Remove pair ${at + 1}`}
              onClick={() => setRows(rows.filter((row) => row.id !== id))}
            >
              <X />
            </Button>
          </div>
        ))}
        <Button size="sm" className="justify-self-start" onClick={() => setRows([...rows, rowOf(['', ''])])}>
          <Plus /> Add pair
        </Button>
      </div>
    </ActionForm>
  )
}
