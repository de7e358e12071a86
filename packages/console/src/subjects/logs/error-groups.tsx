// The errors of the requests, by code: how often each came, what it means, and what to do.

import type { ApiRequestErrors } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Failure, Skeleton } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { requestLink, useLogOwner } from './owner.ts'
import { requestErrorsQuery } from './queries.ts'
import { DocsOfError, withCode } from './request-words.tsx'
import type { RequestSearch } from './search.ts'

type Props = { search: RequestSearch; onSelect: (error: string | undefined) => void }

export function ErrorGroups({ search, onSelect }: Props) {
  const { data: groups, error, refetch } = useQuery(requestErrorsQuery(useLogOwner(), search))
  if (groups?.length === 0) return null
  return (
    <Card title="Errors by code" flush>
      {error && <Failure className="m-4" error={error} onRetry={() => void refetch()} />}
      {!groups && !error && <Skeleton className="p-4" lines={3} />}
      <ul>
        {groups?.map((group) => (
          <Group key={group.error} group={group} isChosen={search.error === group.error} onSelect={onSelect} />
        ))}
      </ul>
    </Card>
  )
}

type GroupProps = { group: ApiRequestErrors; isChosen: boolean; onSelect: Props['onSelect'] }

function Group({ group: { error, count, lastAt, lastRequestId, explanation }, isChosen, onSelect }: GroupProps) {
  return (
    <li className="grid gap-x-6 gap-y-2 border-line border-b px-4 py-3 last:border-0 sm:grid-cols-[1fr_auto]">
      <div className="grid min-w-0 gap-1">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <span className="font-semibold tabular-nums">{count.toLocaleString('en')}×</span>
          <code className="break-all font-mono text-xs">{error}</code>
          <span className="text-soft text-xs">
            last{' '}
            <Link {...requestLink(useLogOwner(), lastRequestId)} className="text-accent underline">
              <TimeAgo at={lastAt} />
            </Link>
          </span>
        </p>
        {explanation && (
          <p>
            {withCode(explanation.message)} <span className="text-soft">{withCode(explanation.resolution)}</span>
          </p>
        )}
        <p className="text-xs">
          <DocsOfError code={error} />
        </p>
      </div>
      <Button
        size="sm"
        className="justify-self-start sm:justify-self-end"
        aria-pressed={isChosen}
        onClick={() => onSelect(isChosen ? undefined : error)}
      >
        {isChosen ? 'Show all errors' : 'Show requests'}
      </Button>
    </li>
  )
}
