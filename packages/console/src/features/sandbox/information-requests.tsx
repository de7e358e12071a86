// Information requests of the emulated provider: opens one about an end-user or a deposit, and moves on those that are open.

import type { Body, InformationRequest } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Disclosure } from '../../components/ui/disclosure.tsx'
import { SelectField, TextField } from '../../components/ui/form.tsx'
import { EndUserField } from './end-user-field.tsx'
import { advanceInformationRequest, openInformationRequest, openInformationRequestsQuery } from './queries.ts'

type Order = Body<'simulateInformationRequest'>

const actions: readonly (readonly [NonNullable<Order['actionTaken']> | '', string])[] = [
  ['', 'None'],
  ['customer_paused', 'End-user paused'],
  ['transaction_paused', 'Deposit paused'],
]

export function InformationRequests() {
  const { data: open = [] } = useQuery(openInformationRequestsQuery)
  return (
    <Disclosure
      title="Information requests"
      note={open.length > 0 && <Badge tone="warn">{`${open.length} open`}</Badge>}
    >
      <OpenForm />
      {open.length > 0 && (
        <ul className="mt-5 grid border-line border-t">
          {open.map((request) => (
            <OpenRequest key={request.id} request={request} />
          ))}
        </ul>
      )}
    </Disclosure>
  )
}

function OpenForm() {
  const [name, setName] = useState('')
  const [depositId, setDepositId] = useState('')
  const [hours, setHours] = useState('168')
  const [action, setAction] = useState<NonNullable<Order['actionTaken']> | ''>('')
  const open = useMutation({ mutationFn: openInformationRequest })
  return (
    <form
      className="grid gap-3"
      aria-label="Open information request"
      onSubmit={(event) => {
        event.preventDefault()
        open.mutate({
          externalUserId: name.trim(),
          deadlineInHours: Number(hours),
          ...(depositId.trim() !== '' && { depositId: depositId.trim() }),
          ...(action !== '' && { actionTaken: action }),
        })
      }}
    >
      <div className="grid items-end gap-3 sm:grid-cols-2">
        <EndUserField label="About the end-user" required value={name} onChange={setName} />
        <TextField label="Deposit ID (optional)" placeholder="dep_…" value={depositId} onChange={setDepositId} />
        <TextField
          label="Deadline, hours"
          type="number"
          min={1}
          max={8_760}
          required
          value={hours}
          onChange={setHours}
        />
        <SelectField label="Action taken" options={actions} value={action} onChange={setAction} />
      </div>
      <Button type="submit" className="justify-self-start" disabled={open.isPending}>
        Open request
      </Button>
      {open.isSuccess && <p role="status">Request opened. It appears with the next event.</p>}
      {open.error !== null && <Failure error={open.error} />}
    </form>
  )
}

function OpenRequest({ request: { id, state } }: { request: InformationRequest }) {
  const advance = useMutation({ mutationFn: (to: InformationRequest['state']) => advanceInformationRequest(id, to) })
  const isReview = state === 'in_review'
  const ways = isReview
    ? ([
        ['action_required', 'Reopen'],
        ['closed', 'Close'],
      ] as const)
    : ([
        ['in_review', 'Respond'],
        ['closed', 'Close'],
      ] as const)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b py-2.5 last:border-0">
      <code className="min-w-0 flex-1 break-all font-mono text-xs">{id}</code>
      <Badge tone={isReview ? 'busy' : 'warn'}>{isReview ? 'In review' : 'Action required'}</Badge>
      <span className="flex gap-2">
        {ways.map(([to, words]) => (
          <Button key={to} size="sm" disabled={advance.isPending} onClick={() => advance.mutate(to)}>
            {words}
          </Button>
        ))}
      </span>
      {advance.error !== null && <Failure error={advance.error} className="w-full" />}
    </li>
  )
}
