// Test end-users: creates one with any outcome in one click, changes what the provider decided, and asks for information.

import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Check, CircleDashed, LoaderCircle, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { Disclosure } from '../../../components/ui/disclosure.tsx'
import { SelectField, TextField } from '../../../components/ui/form.tsx'
import { KycBadge } from '../../../subjects/end-user.tsx'
import { InformationRequests } from '../information-requests.tsx'
import { currencies, personOutcomes } from '../outcomes.ts'
import { endUserPlace } from '../places.ts'
import { DecideForm } from './decide-form.tsx'
import { makePerson, type PersonOrder, type PersonStep, type Progress, stepsOf } from './make-person.ts'

const page = getRouteApi('/business/sandbox')

const nameLength = 6

const freshName = (): string =>
  `person-${Math.random()
    .toString(36)
    .slice(2, 2 + nameLength)}`

export function PeopleCard({ mayOpen }: { mayOpen: boolean }) {
  const { externalUserId } = page.useSearch()
  return (
    <Card title="People" flush>
      <div className="grid gap-4 p-4">
        <p className="text-soft">Create an end-user with any KYC outcome. Terms, data and documents are generated.</p>
        <MakePerson mayOpen={mayOpen} />
      </div>
      <Disclosure title="Change KYC status" isOpenAtFirst={externalUserId !== undefined}>
        <DecideForm />
      </Disclosure>
      <InformationRequests />
    </Card>
  )
}

const currencyOf: Readonly<Record<string, boolean>> = { approved: true, future: true, company: true }

function MakePerson({ mayOpen }: { mayOpen: boolean }) {
  const [externalUserId, setExternalUserId] = useState(freshName)
  const [outcomeName, setOutcomeName] = useState('approved')
  const [currency, setCurrency] = useState(mayOpen ? 'usd' : '')
  const [progress, setProgress] = useState<Progress | null>(null)
  const outcome = personOutcomes.find(({ value }) => value === outcomeName)
  const make = useMutation({ mutationFn: (order: PersonOrder) => makePerson(order, setProgress) })
  if (outcome === undefined) return null
  const mayHaveAccount = mayOpen && currencyOf[outcome.value] === true
  return (
    <form
      className="grid gap-4"
      aria-label="Create test end-user"
      onSubmit={(event) => {
        event.preventDefault()
        setProgress({ done: [], accountId: null, user: null })
        make.mutate(
          { externalUserId, outcome, currency: mayHaveAccount ? currency : '' },
          // Another ID may have been typed in the meantime.
          { onSuccess: () => setExternalUserId((typed) => (typed === externalUserId ? freshName() : typed)) },
        )
      }}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label="Outcome"
          hint={outcome.note}
          className="sm:col-span-2"
          options={personOutcomes.map(({ value, words }) => [value, words])}
          value={outcomeName}
          onChange={setOutcomeName}
        />
        <TextField
          label="End-user ID"
          hint="Use an existing ID to resubmit KYC."
          required
          maxLength={100}
          pattern="[A-Za-z0-9_.\-]+"
          title="Letters, digits, dot, hyphen and underscore"
          spellCheck={false}
          value={externalUserId}
          onChange={setExternalUserId}
        />
        <SelectField
          label="Open account in"
          disabled={!mayHaveAccount}
          options={currencies}
          value={mayHaveAccount ? currency : ''}
          onChange={setCurrency}
        />
      </div>
      <Button type="submit" variant="primary" className="justify-self-end" disabled={make.isPending}>
        <UserPlus /> Create test end-user
      </Button>
      {progress !== null && make.variables !== undefined && (
        <Steps order={make.variables} progress={progress} isPending={make.isPending} />
      )}
      {make.error !== null && <Failure error={make.error} />}
    </form>
  )
}

const stepWords: Readonly<Record<PersonStep, string>> = {
  created: 'Created',
  accepted: 'Terms accepted',
  submitted: 'KYC submitted',
  decided: 'Decision',
  opened: 'Account opened',
}

type StepsProps = { order: PersonOrder; progress: Progress; isPending: boolean }

/** How far the person is, and where to look at them. */
function Steps({ order, progress, isPending }: StepsProps) {
  const { done, user, accountId } = progress
  const steps = stepsOf(order)
  return (
    <div role="status" className="grid gap-3 rounded-lg bg-sunken p-3">
      <ol className="flex flex-wrap gap-x-4 gap-y-1.5">
        {steps.map((step, at) => {
          const isDone = done.includes(step)
          const isNext = isPending && at === done.length
          return (
            <li key={step} className={`inline-flex items-center gap-1.5 ${isDone ? '' : 'text-soft'}`}>
              {isDone ? (
                <Check aria-hidden="true" className="size-4 text-good" />
              ) : isNext ? (
                <LoaderCircle aria-hidden="true" className="size-4 animate-spin motion-reduce:animate-none" />
              ) : (
                <CircleDashed aria-hidden="true" className="size-4" />
              )}
              {stepWords[step]}
              {!isDone && <span className="sr-only">{isNext ? 'in progress' : 'not done'}</span>}
            </li>
          )
        })}
      </ol>
      {user !== null && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Link to={endUserPlace(user.externalUserId)} className="font-medium text-accent underline">
            {user.externalUserId}
          </Link>
          <KycBadge status={user.kycStatus} />
          {accountId !== null && (
            <Link to="/sandbox" search={{ account: accountId }} className="text-accent underline">
              Simulate a deposit to the new account
            </Link>
          )}
        </p>
      )}
    </div>
  )
}
