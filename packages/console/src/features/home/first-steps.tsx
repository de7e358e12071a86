// First steps of a new business, with their completion.

import type { Stats } from '@causeway/sdk'
import { CircleCheck, CircleDashed } from 'lucide-react'
import { CopyButton } from '../../components/copy-button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'

export type Facts = {
  stats: Stats
  /** Null where the session may not see them, in this and the next two. */
  hasKey: boolean | null
  hasEndpoint: boolean | null
  hasDeposit: boolean | null
  isSandbox: boolean
}

type Step = { title: string; why: string; isDone: boolean | null; to: string; link: string; command?: string }

/** The steps to a first deposit, each with the fact that ends it. */
export function stepsOf({ stats, hasKey, hasEndpoint, hasDeposit, isSandbox }: Facts): Step[] {
  const { endUsers, virtualAccounts, deposits } = stats
  const steps: Step[] = [
    {
      title: 'Create an API key',
      why: 'Your backend sends it with every request.',
      isDone: hasKey,
      to: '/developers/keys',
      link: 'View API keys',
    },
    {
      title: 'Create a webhook endpoint',
      why: 'Your backend receives a signed event for each change.',
      isDone: hasEndpoint,
      to: '/webhooks',
      link: 'Create endpoint',
      command: 'causeway listen --forward-to http://localhost:3000/webhooks',
    },
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
      ...(isSandbox
        ? { to: '/sandbox', link: 'Approve in the sandbox' }
        : { to: '/end-users', link: 'View end-users' }),
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
      isDone: hasDeposit === null ? deposits.length > 0 : hasDeposit,
      to: isSandbox ? '/sandbox' : '/deposits',
      link: isSandbox ? 'Simulate a deposit' : 'View deposits',
      ...(isSandbox && { command: 'causeway trigger deposit.completed' }),
    },
  ]
  return steps.filter(({ isDone }) => isDone !== null)
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
              {!step.isDone && <Way step={step} isNext={step === next} />}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Way({ step: { to, link, command }, isNext }: { step: Step; isNext: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <PlaceLink to={to}>{link}</PlaceLink>
      {isNext && command !== undefined && (
        <span className="flex max-w-full items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-3">
          <code className="min-w-0 break-all font-mono text-xs">{command}</code>
          <CopyButton text={command} name="the command" />
        </span>
      )}
    </div>
  )
}
