// Asks for the name of a business: of a new one, or another name of one that is there.

import type { Customer } from '@causeway/sdk'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ActionForm } from '../../../components/dialogs/action-form.tsx'
import { useOpened } from '../../../components/dialogs/opened.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { TextField } from '../../../components/ui/form.tsx'
import { changeBusiness, createBusiness } from '../queries.ts'

export function NewBusiness() {
  const navigate = useNavigate()
  return (
    <NameDialog
      openedBy="create"
      title="Create business"
      description="A new business has no API key. Issue one on its page."
      trigger={
        <Button variant="primary">
          <Plus /> Create business
        </Button>
      }
      action="Create business"
      onSubmit={async (name) => {
        const { id } = await createBusiness(name)
        await navigate({ to: '/operator/businesses/$customerId', params: { customerId: id } })
      }}
    />
  )
}

export function Rename({ business }: { business: Customer }) {
  return (
    <NameDialog
      title={`Rename ${business.name}`}
      trigger={<Button>Rename</Button>}
      before={business.name}
      action="Rename"
      onSubmit={(name) => changeBusiness(business.id, { name })}
    />
  )
}

type Props = {
  title: string
  description?: string
  trigger: ReactNode
  before?: string
  /** Its name behind the `#` of the address. */
  openedBy?: string
  action: string
  onSubmit: (name: string) => Promise<unknown>
}

function NameDialog({ before = '', openedBy, action, onSubmit, ...dialog }: Props) {
  const [isOpen, setOpen] = useOpened(openedBy)
  const [name, setName] = useState(before)
  const change = (open: boolean) => {
    setName(before)
    setOpen(open)
  }
  return (
    <Dialog {...dialog} open={isOpen} onOpenChange={change}>
      <ActionForm
        action={action}
        onSubmit={async () => {
          await onSubmit(name.trim())
          setOpen(false)
        }}
      >
        <TextField label="Name" required maxLength={200} value={name} onChange={setName} />
      </ActionForm>
    </Dialog>
  )
}
