// How to pay into an account: for each bank rail what the payer writes down, to copy or to print.

import type { DepositInstructions, VirtualAccount } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { groupDigits } from '../../components/money.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cn } from '../../components/ui/cn.ts'
import { instructionsQuery } from './queries.ts'

type Rail = DepositInstructions['instructions'][number]

export function Instructions({ account }: { account: VirtualAccount }) {
  const { data, error, refetch } = useQuery(instructionsQuery(account.id))
  const [chosen, setChosen] = useState<string | null>(null)
  const rails = data?.instructions ?? []
  const shown = rails.find(({ rail }) => rail === chosen) ?? rails[0]
  return (
    <Card
      title="Deposit instructions"
      actions={
        shown && (
          <span className="contents print:hidden">
            <CopyButton text={textOf(shown)} name={`all ${shown.railName} details`} label="Copy all" />
            <Button size="sm" onClick={() => print()}>
              <Printer /> Print
            </Button>
          </span>
        )
      }
    >
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={7} />}
      {data !== undefined && shown === undefined && (
        <Empty title="No bank details">
          {data.status === 'failed'
            ? 'The account was not opened.'
            : 'The bank details appear here when the account is active.'}
        </Empty>
      )}
      {data !== undefined && shown !== undefined && (
        <div className="grid gap-4">
          {rails.length > 1 && <Choice rails={rails} shown={shown} onChoose={setChosen} />}
          <RailDetails rail={shown} />
          <PayerRules rules={data.payerRules} currency={data.sourceCurrency} />
          <p className="text-soft text-xs">
            {/* The minimum of the provider comes before the fee: next to the one that includes it, it reads as a contradiction. */}
            {data.payerRules.minimumDeposit === null &&
              `Amounts below ${groupDigits(data.minimumAmount)} ${data.sourceCurrency.toUpperCase()} are not converted. `}
            The payer must use these details exactly as shown.
          </p>
        </div>
      )}
    </Card>
  )
}

function Choice({ rails, shown, onChoose }: { rails: readonly Rail[]; shown: Rail; onChoose: (rail: string) => void }) {
  return (
    <fieldset className="flex flex-wrap gap-1 justify-self-start rounded-lg bg-sunken p-1 print:hidden">
      <legend className="sr-only">Payment rail</legend>
      {rails.map(({ rail, railName }) => (
        <button
          key={rail}
          type="button"
          aria-pressed={rail === shown.rail}
          onClick={() => onChoose(rail)}
          className={cn(
            'rounded-md px-3 py-1 font-medium',
            rail === shown.rail ? 'bg-surface shadow-xs' : 'text-soft hover:text-ink',
          )}
        >
          {railName}
        </button>
      ))}
    </fieldset>
  )
}

function PayerRules({ rules, currency }: { rules: DepositInstructions['payerRules']; currency: string }) {
  return (
    <section aria-label="Accepted payers" className="grid gap-1 text-xs">
      <h3 className="font-semibold">Accepted payers</h3>
      <ul className="list-disc pl-4 text-soft">
        {rules.payers.map(({ kind, text }) => (
          <li key={kind}>{text}</li>
        ))}
      </ul>
      <p className="text-soft">
        {rules.minimumDeposit !== null &&
          `Minimum deposit, including your fee: ${groupDigits(rules.minimumDeposit)} ${currency.toUpperCase()}. `}
        Source: the provider’s guides of {rules.asOf}.
      </p>
    </section>
  )
}

/** The kinds of values that are compared digit by digit. */
const isCode = (name: string): boolean => !/beneficiary|bankName|bankAddress|Address$/i.test(name)

export function RailDetails({ rail: { railName, details } }: { rail: Rail }) {
  return (
    <section aria-label={`${railName} details`}>
      <h3 className="mb-1 hidden font-semibold print:block">{railName}</h3>
      <dl>
        {details.map(({ name, label, value }) => (
          <div
            key={name}
            className="grid gap-x-4 border-line border-b py-2 last:border-0 sm:grid-cols-[11rem_minmax(0,1fr)] sm:items-center"
          >
            <dt className="text-soft">{label}</dt>
            <dd className="flex min-w-0 items-center justify-between gap-2">
              <span className={cn('min-w-0 break-words', isCode(name) && 'font-mono font-semibold')}>{value}</span>
              <span className="print:hidden">
                <CopyButton text={value} name={label.toLowerCase()} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const textOf = ({ railName, details }: Rail): string =>
  [railName, ...details.map(({ label, value }) => `${label}: ${value}`)].join('\n')
