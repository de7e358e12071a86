// Signs an event and posts it to the target, until the target responds.

import { setTimeout as wait } from 'node:timers/promises'
import type { Event } from '../../../sdk/src/index.ts'
import { sign } from '../../../sdk/src/webhooks/sign.ts'

export type Answered = { status: number; ms: number }

export type ForwardOptions = {
  target: string
  secret: string
  signal: AbortSignal
  onLost(reason: string): void
  onBack(): void
}

const timeoutMs = 30_000
const backoffMs = 250
const backoffMsMax = 10_000

/** @returns the response of the target; null when the signal aborted first */
export async function forward(event: Event, options: ForwardOptions): Promise<Answered | null> {
  const { target, secret, signal, onLost, onBack } = options
  const body = event.rawBody
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const answer = await post(event, body, { target, secret, signal })
      onBack()
      return answer
    } catch (failure) {
      if (signal.aborted) return null
      onLost(reasonOf(failure))
      const delayMs = Math.random() * Math.min(backoffMsMax, backoffMs * 2 ** Math.min(failures, 10))
      await wait(delayMs, undefined, { signal }).catch(() => {})
    }
  }
  return null
}

type Post = Pick<ForwardOptions, 'target' | 'secret' | 'signal'>

async function post(event: Event, body: string, { target, secret, signal }: Post): Promise<Answered> {
  const startedMs = performance.now()
  const response = await fetch(target, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    headers: {
      'content-type': 'application/json',
      'svc-event-type': event.eventType,
      ...(event.externalUserId === null ? {} : { 'svc-external-user-id': encodeURIComponent(event.externalUserId) }),
      ...(await sign(body, secret, { id: `${event.id}_listen` })),
    },
    body,
  })
  await response.arrayBuffer()
  return { status: response.status, ms: Math.round(performance.now() - startedMs) }
}

function reasonOf(failure: unknown): string {
  const { cause, message } = failure instanceof Error ? failure : new Error(String(failure))
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
