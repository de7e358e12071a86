// The timeline of an end-user, page after page.

import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Empty, Failure, Skeleton } from '../../../components/states.tsx'
import { Timeline } from '../../../components/timeline.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { Select } from '../../../components/ui/form.tsx'
import { readStory } from '../queries.ts'
import { happeningOf, isSaidTwice } from './story.tsx'

const route = getRouteApi('/business/end-users/$externalUserId')

export function StoryCard({ externalUserId }: { externalUserId: string }) {
  const { events } = route.useSearch()
  const navigate = route.useNavigate()
  const isWhole = events === 'all'
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['end-users', 'story', externalUserId, { isWhole }],
    queryFn: ({ pageParam }) => readStory(externalUserId, isWhole, pageParam),
    initialPageParam: readFrom,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const happenings =
    data?.pages
      .flatMap((page) => page.events)
      .filter((event) => isWhole || !isSaidTwice(event))
      .map(happeningOf) ?? []
  return (
    <Card
      title="Activity"
      actions={
        <Select
          aria-label="Events to show"
          className="h-7 w-auto text-xs"
          value={events ?? ''}
          onChange={({ target }) =>
            void navigate({
              search: target.value === 'all' ? { events: 'all' } : {},
              replace: true,
              resetScroll: false,
            })
          }
        >
          <option value="">Summary</option>
          <option value="all">Including provider events</option>
        </Select>
      }
    >
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={6} />}
      {data !== undefined && happenings.length === 0 && (
        <Empty title={hasNextPage ? 'No matches in the latest events' : 'No activity yet'}>
          {hasNextPage
            ? 'The latest 50,000 events of the business belong to other end-users.'
            : 'Terms, KYC results, accounts and deposits appear here. Events are kept for a limited time.'}
        </Empty>
      )}
      {happenings.length > 0 && <Timeline happenings={happenings} />}
      {hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button size="sm" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? 'Loading…' : 'Load older events'}
          </Button>
        </div>
      )}
    </Card>
  )
}

const readFrom: string | null = null
