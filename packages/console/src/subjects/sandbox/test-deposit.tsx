// Pays into one account of the sandbox, from the account's own page.

import type { VirtualAccount } from '@causeway/sdk'
import { Banknote } from 'lucide-react'
import { useState } from 'react'
import { ActionForm } from '../../components/dialogs/action-form.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { SelectField, TextField } from '../../components/ui/form.tsx'
import { causeway, queryClient } from '../../session/client.ts'
import { type DepositOutcome, depositOutcomes } from './deposit-outcomes.ts'

export function SendTestDeposit({ account }: { account: VirtualAccount }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title="Simulate deposit"
      description="The sandbox provider reports the deposit within seconds."
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button>
          <Banknote /> Simulate deposit
        </Button>
      }
    >
      <DepositForm account={account} onDone={() => setOpen(false)} />
    </Dialog>
  )
}

function DepositForm({ account, onDone }: { account: VirtualAccount; onDone: () => void }) {
  const [amount, setAmount] = useState('100.00')
  const [outcome, setOutcome] = useState<DepositOutcome>('completed')
  const [senderName, setSenderName] = useState('')
  const send = async () => {
    await causeway.sandbox.simulateDeposit({
      virtualAccountId: account.id,
      amount: amount.trim(),
      outcome,
      ...(senderName.trim() !== '' && { senderName: senderName.trim() }),
    })
    await queryClient.invalidateQueries({ queryKey: ['deposits'] })
    onDone()
    toast.success('Test deposit sent.')
  }
  return (
    <ActionForm action="Send deposit" onSubmit={send}>
      <TextField
        label={`Amount, ${account.sourceCurrency.toUpperCase()}`}
        required
        inputMode="decimal"
        pattern="(0\.(0[1-9]|[1-9][0-9]?)|[1-9][0-9]{0,11}(\.[0-9]{1,2})?)"
        title="Above zero, with at most two decimals, such as 12.50"
        value={amount}
        onChange={setAmount}
      />
      <SelectField label="Outcome" options={depositOutcomes} value={outcome} onChange={setOutcome} />
      <TextField label="Payer (optional)" maxLength={140} value={senderName} onChange={setSenderName} />
    </ActionForm>
  )
}
