// The same request under the same Idempotency-Key, at every replica.

import type { Notes } from '../ledger.ts'
import type { Replica } from '../world.ts'
import { complain, type Kept, noted } from './caller.ts'

const answerMsMax = 10_000

export async function repeatEverywhere(
  replicas: readonly Replica[],
  kept: readonly Kept[],
  notes: Notes,
): Promise<void> {
  for (const replica of replicas) await Promise.all(kept.map((one) => repeatAt(replica, one, notes)))
}

async function repeatAt({ name, url }: Replica, { call, key }: Kept, notes: Notes): Promise<void> {
  const { status, text } = await noted('write', call, notes, async () => {
    const sent = { replica: name, tries: 1 }
    try {
      const { method, headers = {}, body } = call
      const signal = AbortSignal.timeout(answerMsMax)
      const response = await fetch(`${url}${call.path}`, {
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body: String(body) }),
      })
      const text = await response.text()
      return { ...sent, status: response.status, headers: Object.fromEntries(response.headers), text }
    } catch {
      return { ...sent, status: null, headers: {}, text: '' }
    }
  })
  if (status === 200) notes.acknowledged.push({ kind: 'repeat', key, body: JSON.stringify(JSON.parse(text).data) })
  else if (status !== null)
    complain(notes, `${name} answered a repeat of ${call.method} ${call.path} with key ${key} with ${status}: ${text}`)
}
