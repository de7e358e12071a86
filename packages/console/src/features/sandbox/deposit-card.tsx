// Pays into an account with any outcome, and moves on what waits.

import type { Body, Deposit, VirtualAccount } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Banknote } from 'lucide-react'
import { useState } from 'react'
import { Money } from '../../components/money.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { SelectField, TextField } from '../../components/ui/form.tsx'
import { causeway, queryClient } from '../../session/client.ts'
import { capabilitiesQuery } from '../../subjects/capabilities.ts'
import { bankRailWords } from '../../subjects/deposit.tsx'
import { AdvanceDeposit } from '../../subjects/sandbox/advance-deposit.tsx'
import { depositOutcomes } from '../../subjects/sandbox/deposit-outcomes.ts'
import { EndUserField } from './end-user-field.tsx'
import { depositPlace } from './places.ts'
import { openAccountsQuery, waitingDepositsQuery } from './queries.ts'

const page = getRouteApi('/business/sandbox')

export function DepositCard() {
  const [user, setUser] = useState('')
  const accounts = useQuery(openAccountsQuery(user.trim()))
  return (
    <Card title="Deposits">
      <div className="mb-4 grid gap-4">
        <p className="text-soft">Pay into an account with any outcome, then continue deposits that wait.</p>
        <EndUserField label="Filter accounts by end-user" hint="Default: all." value={user} onChange={setUser} />
      </div>
      {accounts.error !== null && <Failure error={accounts.error} onRetry={() => void accounts.refetch()} />}
      {accounts.isPending && <Skeleton lines={5} />}
      {accounts.data?.length === 0 && (
        <Empty
          title={user.trim() === '' ? 'No active account yet' : 'No active account of this end-user'}
          command="causeway trigger deposit.completed"
        >
          Create an approved test end-user with an account first.
        </Empty>
      )}
      {accounts.data !== undefined && accounts.data.length > 0 && <PayIn accounts={accounts.data} />}
      <Waiting />
    </Card>
  )
}

type Order = Body<'simulateDeposit'>

function PayIn({ accounts }: { accounts: readonly VirtualAccount[] }) {
  const { account: asked } = page.useSearch()
  const { data: capabilities } = useQuery(capabilitiesQuery)
  const [amount, setAmount] = useState('100.00')
  const [rail, setRail] = useState('')
  const [outcome, setOutcome] = useState<string>('completed')
  const [senderName, setSenderName] = useState('')
  const [reference, setReference] = useState('')
  const account = accounts.find(({ id }) => id === asked) ?? accounts[0]
  const currency = account?.sourceCurrency ?? ''
  const rails = capabilities?.source.find((one) => one.currency === currency)?.depositRails ?? []
  const pay = useMutation({
    mutationFn: (order: Order) => causeway.sandbox.simulateDeposit(order),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['deposits'] }),
  })
  const send = () => {
    if (account === undefined) return
    const chosen = depositOutcomes.find(([key]) => key === outcome)?.[0]
    pay.mutate({
      virtualAccountId: account.id,
      amount: amount.trim(),
      ...(rails.includes(rail) && { paymentRail: rail }),
      ...(chosen !== undefined && { outcome: chosen }),
      ...(senderName.trim() !== '' && { senderName: senderName.trim() }),
      ...(reference.trim() !== '' && { reference: reference.trim() }),
    })
  }
  return (
    <form
      className="grid gap-4"
      aria-label="Simulate deposit"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <AccountField accounts={accounts} account={account} />
        <SelectField
          label="Outcome"
          className="sm:col-span-2"
          options={[...depositOutcomes, ['', 'Determined by the cents of the amount'] as const]}
          value={outcome}
          onChange={setOutcome}
        />
        <TextField
          label={`Amount${currency === '' ? '' : `, ${currency.toUpperCase()}`}`}
          required
          inputMode="decimal"
          pattern="(0\.(0[1-9]|[1-9][0-9]?)|[1-9][0-9]{0,11}(\.[0-9]{1,2})?)"
          title="Above zero, with at most two decimals, such as 12.50"
          value={amount}
          onChange={setAmount}
        />
        <SelectField
          label="Rail"
          options={[['', 'Default rail'], ...rails.map((name) => [name, bankRailWords(name)] as const)]}
          value={rails.includes(rail) ? rail : ''}
          onChange={setRail}
        />
        <TextField label="Sender (optional)" maxLength={140} value={senderName} onChange={setSenderName} />
        <TextField label="Reference (optional)" maxLength={140} value={reference} onChange={setReference} />
      </div>
      <Button type="submit" variant="primary" className="justify-self-end" disabled={pay.isPending}>
        <Banknote /> Simulate deposit
      </Button>
      {pay.isSuccess && (
        <p role="status" className="rounded-lg bg-sunken p-3">
          Created:{' '}
          <Link to={depositPlace(pay.data.id)} className="font-medium text-accent underline">
            the deposit
          </Link>
          . Its status updates within seconds.
        </p>
      )}
      {pay.error !== null && <Failure error={pay.error} />}
    </form>
  )
}

/** The URL holds the choice. */
function AccountField({
  accounts,
  account,
}: {
  accounts: readonly VirtualAccount[]
  account: VirtualAccount | undefined
}) {
  const navigate = page.useNavigate()
  const choose = (id: string) =>
    navigate({ search: (before) => ({ ...before, account: id }), replace: true, resetScroll: false })
  return (
    <SelectField
      label="Account"
      className="sm:col-span-2"
      options={accounts.map(({ id, externalUserId, sourceCurrency }) => [
        id,
        `${externalUserId} · ${sourceCurrency.toUpperCase()} · …${id.slice(-6)}`,
      ])}
      value={account?.id ?? ''}
      onChange={(id) => void choose(id)}
    />
  )
}

function Waiting() {
  const { data } = useQuery(waitingDepositsQuery)
  if (data === undefined || data.length === 0) return null
  return (
    <section className="mt-5 grid gap-2 border-line border-t pt-4" aria-labelledby="waiting-deposits">
      <h3 id="waiting-deposits" className="font-medium">
        Deposits in progress
      </h3>
      <ul className="grid">
        {data.map((deposit) => (
          <WaitingDeposit key={deposit.id} deposit={deposit} />
        ))}
      </ul>
    </section>
  )
}

function WaitingDeposit({ deposit }: { deposit: Deposit }) {
  const { id, externalUserId, grossAmount, status } = deposit
  const isReview = status === 'in_review'
  return (
    <li className="grid gap-2 border-line border-b py-2.5 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Link to={depositPlace(id)} className="font-medium text-accent underline">
          <Money amount={grossAmount} />
        </Link>
        <span className="min-w-0 flex-1 break-words text-soft">{externalUserId}</span>
        <Badge tone={isReview ? 'warn' : 'busy'}>{isReview ? 'In review' : 'Scheduled'}</Badge>
      </div>
      <div className="flex flex-wrap gap-2">
        <AdvanceDeposit deposit={deposit} />
      </div>
    </li>
  )
}
