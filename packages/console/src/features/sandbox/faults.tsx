// Faults of the emulated provider: a few that teach the most, and what is left of those that were ordered.

import type { Body, SandboxFault } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Zap } from 'lucide-react'
import { useState } from 'react'
import { Failure, Skeleton } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Disclosure } from '../../components/ui/disclosure.tsx'
import { SelectField, TextField } from '../../components/ui/form.tsx'
import { addFault, clearFaults, faultsQuery } from './queries.ts'

type Order = Body<'addSandboxFault'>

const refusals = [
  'not_allowed',
  'duplicate_record',
  'resource_state_conflict',
  'unprocessable_entity',
  'developer_limits_exceeded',
  'Invalid',
] as const satisfies readonly Order['code'][]

const kinds: readonly { value: string; words: string; note: string; order: Omit<Order, 'path'> }[] = [
  {
    value: 'down',
    words: 'Returns 503',
    note: 'Simulates an outage. Callers get provider_unavailable.',
    order: { mode: 'status', status: 503 },
  },
  { value: 'hang', words: 'Never responds', note: 'Callers get provider_timeout.', order: { mode: 'hang' } },
  {
    value: 'lost',
    words: 'Succeeds, but the response is lost',
    note: 'The hardest case: the provider did the work, and the caller does not know.',
    order: { mode: 'cut_after' },
  },
  {
    value: 'cut',
    words: 'Closes the connection',
    note: 'The provider did nothing. Callers get provider_unavailable.',
    order: { mode: 'cut_before' },
  },
  {
    value: 'slow',
    words: 'Responds three seconds late',
    note: 'The request succeeds.',
    order: { mode: 'delay', delayMs: 3_000 },
  },
  {
    value: 'refused',
    words: 'Refuses: customer frozen',
    note: 'Callers get provider_rejected.',
    order: { mode: 'refuse', code: 'frozen' },
  },
  ...refusals.map((code) => ({
    value: code,
    words: `Refuses: ${code}`,
    note: 'The refusal code of the provider.',
    order: { mode: 'refuse' as const, code },
  })),
  {
    value: 'limited',
    words: 'Returns 429',
    note: 'Simulates the rate limit of the provider.',
    order: { mode: 'status', status: 429 },
  },
  {
    value: 'unreadable',
    words: 'Succeeds, but returns IDs only',
    note: 'Callers get provider_response_unreadable.',
    order: { mode: 'unreadable' },
  },
  { value: 'garbage', words: 'Returns invalid JSON', note: 'Simulates a broken proxy.', order: { mode: 'garbage' } },
]

const targets: readonly (readonly [path: string, words: string])[] = [
  ['^/v0/', 'Every request'],
  ['^/v0/customers', 'End-users and KYC'],
  ['^/v0/customers/tos_links', 'Terms links'],
  ['/virtual_accounts', 'Virtual accounts'],
  ['^/v0/webhook_events', 'Event log'],
]

const modeWords: Readonly<Record<SandboxFault['mode'], string>> = {
  status: 'returns',
  refuse: 'refuses with',
  delay: 'waits before',
  cut_before: 'closes the connection before',
  cut_after: 'closes the connection after',
  unreadable: 'returns IDs only for',
  garbage: 'returns invalid JSON for',
  hang: 'never responds to',
}

export function Faults({ mayChange }: { mayChange: boolean }) {
  const faults = useQuery(faultsQuery)
  const clear = useMutation({ mutationFn: clearFaults })
  const waitingCount = faults.data?.filter(({ timesLeft }) => timesLeft > 0).length ?? 0
  return (
    <Disclosure
      title="Simulated provider errors"
      note={waitingCount > 0 && <Badge tone="warn">{`${waitingCount} active`}</Badge>}
    >
      <div className="grid gap-4">
        {mayChange && <FaultForm />}
        {clear.error !== null && <Failure error={clear.error} />}
        {faults.error !== null && <Failure error={faults.error} onRetry={() => void faults.refetch()} />}
        {faults.isPending && <Skeleton lines={1} />}
        {faults.data?.length === 0 && <p className="text-soft">No simulated errors.</p>}
        {faults.data !== undefined && faults.data.length > 0 && <FaultList faults={faults.data} />}
        {mayChange && faults.data !== undefined && faults.data.length > 0 && (
          <Button size="sm" className="justify-self-start" disabled={clear.isPending} onClick={() => clear.mutate()}>
            Clear all
          </Button>
        )}
      </div>
    </Disclosure>
  )
}

function FaultForm() {
  const [kindName, setKind] = useState('down')
  const [path, setPath] = useState('^/v0/')
  const [times, setTimes] = useState('1')
  const add = useMutation({ mutationFn: addFault })
  const kind = kinds.find(({ value }) => value === kindName)
  if (kind === undefined) return null
  return (
    <form
      className="grid gap-4"
      aria-label="Add error"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate({ ...kind.order, path, times: Number(times) })
      }}
    >
      <SelectField
        label="Error"
        hint={kind.note}
        options={kinds.map(({ value, words }) => [value, words])}
        value={kindName}
        onChange={setKind}
      />
      <div className="grid items-end gap-3 sm:grid-cols-[1fr_6rem_auto]">
        <SelectField label="Requests" options={targets} value={path} onChange={setPath} />
        <TextField label="Times" type="number" min={1} max={1_000_000} required value={times} onChange={setTimes} />
        <Button type="submit" disabled={add.isPending}>
          <Zap /> Add error
        </Button>
      </div>
      {add.error !== null && <Failure error={add.error} />}
    </form>
  )
}

function FaultList({ faults }: { faults: readonly SandboxFault[] }) {
  return (
    <ul className="grid border-line border-t">
      {faults.map(({ id, mode, path, method, status, delayMs, timesLeft, hits }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b py-2 last:border-0">
          <span className="min-w-0 flex-1 break-words">
            {modeWords[mode]} {mode === 'status' || mode === 'refuse' ? status : ''}
            {mode === 'delay' ? `${delayMs / 1_000} s ` : ' '}
            <code className="font-mono text-soft text-xs">
              {method ?? 'any'} {path}
            </code>
          </span>
          <span className="text-soft text-xs">hit {hits === 1 ? 'once' : `${hits} times`}</span>
          {timesLeft > 0 ? <Badge tone="warn">{`${timesLeft} left`}</Badge> : <Badge tone="off">Used up</Badge>}
        </li>
      ))}
    </ul>
  )
}
