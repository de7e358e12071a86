// The states of data that a page reads: loading, empty, failed, old.

import { ApiError } from '@causeway/sdk'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { TimeAgo } from './time.tsx'
import { Button } from './ui/button.tsx'
import { cn } from './ui/cn.ts'

/** Grey bars in the place of lines to come. */
export function Skeleton({ lines = 3, className = '' }: { lines?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading" className={cn('grid gap-3', className)}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all the same
        <div key={at} className="h-4 animate-pulse rounded bg-sunken" style={{ width: `${90 - ((at * 23) % 50)}%` }} />
      ))}
    </div>
  )
}

/** Says how old the data on the page are, because the last read failed. */
export function Stale({ error, atMs, onRetry }: { error: unknown; atMs: number; onRetry: () => void }) {
  if (error === null) return null
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-3 py-2 text-xs">
      <span>
        Last updated <TimeAgo at={new Date(atMs).toISOString()} />. Refreshing failed: {titleOf(error)}
      </span>
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    </p>
  )
}

type EmptyProps = {
  title: string
  /** Why there is nothing, and what comes next. */
  children: ReactNode
  action?: ReactNode
  /** A command for the terminal that makes the first one. */
  command?: string
}

export function Empty({ title, children, action, command }: EmptyProps) {
  return (
    <div className="mx-auto grid max-w-xl justify-items-center gap-3 px-4 py-12 text-center">
      <p className="font-semibold text-base">{title}</p>
      <div className="text-soft">{children}</div>
      {action}
      {command !== undefined && (
        <p className="flex max-w-full items-center gap-1 rounded-md bg-sunken py-1 pr-1 pl-3 text-left">
          <code className="min-w-0 break-words font-mono text-xs">{command}</code>
          <CopyButton text={command} name="the command" />
        </p>
      )}
    </div>
  )
}

/** An error of the server: its message, what to do, and the code and request id to quote. */
export function Failure({ error, onRetry, className }: { error: unknown; onRetry?: () => void; className?: string }) {
  const refusal = error instanceof ApiError ? error : null
  return (
    <div role="alert" className={cn('grid gap-2 rounded-lg border border-bad/40 bg-bad-soft p-4', className)}>
      <p className="font-semibold text-bad">{titleOf(error)}</p>
      <p>{refusal?.resolution ?? 'The server did not respond. Check your connection, then try again.'}</p>
      {refusal !== null && refusal.details.length > 0 && (
        <ul className="list-inside list-disc">
          {refusal.details.map(({ param, message }) => (
            <li key={`${param} ${message}`}>
              <code className="font-mono text-xs">{param}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-soft text-xs">
        {refusal !== null && (
          <span>
            Code{' '}
            {refusal.docUrl === null ? (
              refusal.code
            ) : (
              <a className="text-ink underline" href={`/docs/errors/${refusal.code}`}>
                {refusal.code}
              </a>
            )}
          </span>
        )}
        {refusal?.requestId != null && (
          <span className="inline-flex items-center gap-1">
            Request <code className="font-mono">{refusal.requestId}</code>
            <CopyButton text={refusal.requestId} name="the request ID" />
          </span>
        )}
        {onRetry && (
          <Button size="sm" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

/** The server's message without its status, code and request ID, which are shown separately. */
export function titleOf(error: unknown): string {
  if (error instanceof ApiError) {
    const text = error.message.split('\n', 1)[0] ?? ''
    const end = text.indexOf(error.resolution)
    return (
      text
        .slice(0, end < 0 ? undefined : end)
        .replace(/^\d+ \w+: /, '')
        .trim() || error.code
    )
  }
  return 'Something went wrong'
}
