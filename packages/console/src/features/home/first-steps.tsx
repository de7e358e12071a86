// What a new business does first, with what is done already.

import type { Stats } from '@causeway/sdk'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { CopyButton } from '../../components/copy-button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'

type Step = { title: string; why: string; isDone: boolean; to?: string; link?: string; command?: string }

/** @param endpoints null where the session may not see them */
export function stepsOf(stats: Stats, endpoints: number | null, isSandbox: boolean): Step[] {
  const { endUsers, virtualAccounts, deposits } = stats
  const approve = isSandbox
    ? { to: '/sandbox', link: 'Approve in the sandbox' }
    : { to: '/end-users', link: 'View end-users' }
  const hook: Step[] =
    endpoints === null
      ? []
      : [
          {
            title: 'Create a webhook endpoint',
            why: 'Your backend receives a signed event for each change.',
            isDone: endpoints > 0,
            to: '/webhooks',
            link: 'Create endpoint',
            command: 'causeway listen --forward-to http://localhost:3000/webhooks',
          },
        ]
  return [
    {
      title: 'Create an end-user',
      why: 'A person or company you serve, under your own ID.',
      isDone: endUsers.total > 0,
      to: '/end-users',
      link: 'Create end-user',
      command: 'causeway end-users create --set externalUserId=ada',
    },
    {
      title: 'Get the end-user approved',
      why: 'Terms of Service first, then KYC.',
      isDone: (endUsers.byStatus['approved'] ?? 0) > 0,
      ...approve,
    },
    {
      title: 'Open a virtual account',
      why: 'Bank details for deposits that are paid out to a wallet.',
      isDone: virtualAccounts.total > 0,
      to: '/accounts',
      link: 'Open account',
    },
    {
      title: isSandbox ? 'Simulate a deposit' : 'Receive a first deposit',
      why: 'Follow the deposit until it is paid out.',
      isDone: deposits.length > 0,
      to: isSandbox ? '/sandbox' : '/deposits',
      link: isSandbox ? 'Simulate a deposit' : 'View deposits',
      ...(isSandbox && { command: 'causeway trigger deposit.completed' }),
    },
    ...hook,
  ]
}

export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Card
      title="Get started"
      actions={<span className="text-soft text-xs">{`${done} of ${steps.length} done`}</span>}
      flush
    >
      <ol>
        {steps.map((step) => (
          <li key={step.title} className="flex gap-3 border-line border-b px-4 py-3 last:border-0">
            {step.isDone ? (
              <CircleCheck aria-label="Done" className="mt-0.5 size-5 shrink-0 text-good" />
            ) : (
              <CircleDashed
                aria-label="To do"
                className={`mt-0.5 size-5 shrink-0 ${step === next ? 'text-accent' : 'text-soft'}`}
              />
            )}
            <div className="grid min-w-0 flex-1 gap-1">
              <p className={step.isDone ? 'text-soft' : 'font-medium'}>{step.title}</p>
              {!step.isDone && <p className="text-soft">{step.why}</p>}
              {step === next && <Way step={step} />}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Way({ step: { to, link, command } }: { step: Step }) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-2">
      {to !== undefined && link !== undefined && <PlaceLink to={to}>{link}</PlaceLink>}
      {command !== undefined && (
        <span className="flex max-w-full items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-3">
          <code className="min-w-0 break-all font-mono text-xs">{command}</code>
          <CopyButton text={command} name="the command" />
        </span>
      )}
    </div>
  )
}
