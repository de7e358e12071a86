// The operator's channels while the database cannot write, and the record of the outage afterwards.

import type { Query, Tx } from '../../platform/postgres/query.ts'
import type { ChannelRow } from '../channels.store.ts'
import type { Content } from '../messages/text.rules.ts'

export type OwnChannel = Pick<ChannelRow, 'businessId' | 'id' | 'type' | 'emails' | 'urlSealed' | 'secretSealed'>

/** Lists the channels of an owner that want a kind of alert. */
export async function listOwnChannels(query: Query, owner: string, kind: string): Promise<OwnChannel[]> {
  return await query<OwnChannel[]>`
    select business_id, id, type, emails, url_sealed, secret_sealed from alert_channels
    where business_id = ${owner} and status = 'enabled' and kinds && array['*', ${kind}] limit 100`
}

export type OutageRecord = {
  owner: string
  alertId: string
  kind: string
  since: Date
  /** `outcome`: null for a message that was sent, otherwise why not. */
  sent: readonly { channelId: string; id: string; subject: string; content: Content; outcome: string | null }[]
}

/** Stores an outage that is over. The recovery goes to the channels that got the alert. */
export async function storeOutage(tx: Tx, { owner, alertId, kind, since, sent }: OutageRecord): Promise<void> {
  const { count } = await tx`
    insert into alerts (business_id, id, kind, subject_id, state, opened_at, recovered_at, notify_at)
    values (${owner}, ${alertId}, ${kind}, ${owner}, 'recovered', ${since}, now(), now())
    on conflict do nothing`
  if (count === 0) return
  for (const { channelId, id, subject, content, outcome } of sent) {
    await tx`
      insert into alert_messages (business_id, id, channel_id, is_test, subject, content, state, attempts, next_attempt_at,
        last_outcome, sent_at)
      values (${owner}, ${id}, ${channelId}, false, ${subject}, ${tx.json(content)}, ${outcome === null ? 'sent' : 'failed'}, 1,
        null, ${outcome ?? 'Sent while the database could not store it.'}, ${outcome === null ? tx`now()` : null})
      on conflict do nothing`
    await tx`
      insert into alert_notices (business_id, channel_id, alert_id, phase, message_id)
      select ${owner}, id, ${alertId}, 'opened', ${id} from alert_channels where business_id = ${owner} and id = ${channelId}
      on conflict do nothing`
  }
}
