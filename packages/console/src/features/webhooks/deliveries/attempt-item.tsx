// One attempt: what was sent, and what came back.

import type { DeliveryAttempt } from '@causeway/sdk'
import type { ReactNode } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Payload } from '../../../components/payload.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { duration, isSuccess, outcomeWords } from '../words.ts'

export function AttemptItem({ attempt, isNewest }: { attempt: DeliveryAttempt; isNewest: boolean }) {
  const { outcome, detail, durationMs, startedAt, requestHeaders, responseHeaders, responseBody } = attempt
  return (
    <li className="border-line border-b last:border-0">
      <details open={isNewest}>
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken/60">
          <span className="whitespace-nowrap text-soft tabular-nums">Attempt {attempt.attempt}</span>
          <Badge tone={isSuccess(outcome) ? 'good' : 'bad'}>{outcomeWords(outcome)}</Badge>
          <span className="tabular-nums">{duration(durationMs)}</span>
          <span className="ml-auto text-soft text-xs">
            <TimeAgo at={startedAt} />
          </span>
        </summary>
        <div className="grid gap-4 px-4 pb-4">
          {detail !== null && <p>{detail}</p>}
          <div className="grid gap-4 lg:grid-cols-2">
            <Part title="Request headers">
              {requestHeaders === null ? (
                <Nothing>Not stored: the event has expired.</Nothing>
              ) : (
                <Headers headers={requestHeaders} name="the request headers" />
              )}
            </Part>
            <Part title="Response">
              {responseHeaders !== null && <Headers headers={responseHeaders} name="the response headers" />}
              {responseBody === null || responseBody === '' ? (
                <Nothing>{emptyWords(attempt)}</Nothing>
              ) : (
                <Payload value={responseBody} name="the response" />
              )}
            </Part>
          </div>
        </div>
      </details>
    </li>
  )
}

function emptyWords({ httpStatus, responseBody, outcome }: DeliveryAttempt): string {
  if (httpStatus === null) return 'No response.'
  if (responseBody === null && isSuccess(outcome)) return 'Successful responses to events about people are not stored.'
  return 'Empty response body.'
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid min-w-0 content-start gap-2">
      <h3 className="font-medium text-soft text-xs">{title}</h3>
      {children}
    </section>
  )
}

const Nothing = ({ children }: { children: string }) => <p className="text-soft">{children}</p>

function Headers({ headers, name }: { headers: Readonly<Record<string, string>>; name: string }) {
  const lines = Object.entries(headers)
  return (
    <div className="relative">
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={lines.map(([key, value]) => `${key}: ${value}`).join('\n')} name={name} />
      </div>
      <dl className="grid gap-1 rounded-md bg-sunken p-3 pr-10 font-mono text-xs leading-5">
        {lines.map(([key, value]) => (
          <div key={key} className="break-all">
            <dt className="inline text-accent">{key}</dt>
            <dd className="inline">: {value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
