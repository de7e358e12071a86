// The provider's health.

import type { ProviderStatus } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Facts } from '../../../components/page.tsx'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { Figure, Figures } from '../figure.tsx'
import { providerQuery } from '../queries.ts'
import { countWords } from '../words.tsx'

/** A time in the past means that the next check is due now. */
function Next({ at }: { at: string }) {
  return Date.parse(at) <= Date.now() ? <span>due now</span> : <TimeAgo at={at} />
}

export function ProviderCard() {
  const { data, error, refetch } = useQuery(providerQuery)
  return (
    <Card
      id="provider"
      title="Provider"
      actions={
        data !== undefined && (
          <Badge tone={data.reachable ? 'good' : 'bad'}>{data.reachable ? 'Reachable' : 'Unreachable'}</Badge>
        )
      }
    >
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={5} />}
      {data !== undefined && <Shown provider={data} />}
    </Card>
  )
}

const percent = 100

function Shown({ provider }: { provider: ProviderStatus }) {
  const { calls, webhook, reconciliation, signatureFailures } = provider
  const failedShare = calls.total === 0 ? 0 : (calls.failed / calls.total) * percent
  return (
    <div className="grid gap-5">
      <Figures>
        <Figure name="Last response" note={`${countWords(calls.total)} calls since this replica started`}>
          <TimeAgo at={calls.lastSuccessAt} />
        </Figure>
        <Figure
          name="Failed calls"
          note={calls.lastFailureAt === null ? 'none' : <TimeAgo at={calls.lastFailureAt} />}
          tone={failedShare > 1 ? 'warn' : 'plain'}
        >
          {failedShare.toFixed(1)}%
        </Figure>
        <Figure name="Last event" note="by webhook or reconciliation">
          <TimeAgo at={provider.lastEventAt} />
        </Figure>
        <Figure
          name="Invalid signatures"
          note="on events to this replica"
          tone={signatureFailures > 0 ? 'warn' : 'plain'}
        >
          {countWords(signatureFailures)}
        </Figure>
      </Figures>
      <Facts
        facts={[
          [
            'URL',
            <span key="url" className="break-all">
              {provider.url}
            </span>,
          ],
          ['Response time', `${provider.tookMs} ms`],
          [
            'Webhook',
            webhook === null ? (
              <span key="none" className="text-soft">
                not registered. Run <code className="font-mono text-xs">causeway provider connect</code>
              </span>
            ) : (
              <span key="webhook" className="inline-flex flex-wrap items-center gap-2">
                <span className="break-all">{webhook.url}</span>
                <Badge tone={webhook.status === 'active' ? 'good' : 'warn'} className="capitalize">
                  {webhook.status}
                </Badge>
              </span>
            ),
          ],
          [
            'Reconciliation',
            reconciliation.failures === 0 ? (
              <Next key="next" at={reconciliation.nextAt} />
            ) : (
              <span key="failures" className="text-warn">
                failed {reconciliation.failures} times in a row; <Next at={reconciliation.nextAt} />
              </span>
            ),
          ],
          [
            'Full re-read',
            reconciliation.rereadCoveredTo === null ? (
              'not yet'
            ) : (
              <TimeAgo key="reread" at={reconciliation.rereadCoveredTo} />
            ),
          ],
        ]}
      />
    </div>
  )
}
