// Events ingested by the product's own statement, to wait for the send loop.

import { randomBytes } from 'node:crypto'
import { ingestEvents } from '../../../../server/src/events/ingest/ingest.store.ts'
import type { Database } from '../../../../server/src/platform/postgres/database.ts'
import { makeEventId } from '../../../../server/src/platform/values/ids.ts'
import { isJsonObject } from '../../../../server/src/platform/values/json.ts'
import { readEvent } from '../../../../server/src/provider/bridge/wire/event.ts'
import type { ProviderEvent } from '../events.ts'

const batchRows = 500

export async function takeInBacklog(db: Database, events: readonly ProviderEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += batchRows) {
    const batch = events.slice(at, at + batchRows).map(({ id, body }) => {
      const json: unknown = JSON.parse(body.toString())
      if (!isJsonObject(json)) throw new Error('an event is an object')
      const { hints } = readEvent(json)
      return {
        id: makeEventId(Date.now(), randomBytes(10)),
        providerEventId: id,
        trust: 'verified' as const,
        type: String(json['event_type']),
        body,
        hints,
        hasEffects: false,
      }
    })
    await db.statement((query) => ingestEvents(query, 'bridge', batch, null))
  }
}
