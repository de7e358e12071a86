// One long poll of the event stream for the whole tab. Each event reloads the affected lists, or announces that there
// is more.

import { ApiError, type Event } from '@causeway/sdk'
import { useSyncExternalStore } from 'react'
import { causeway, queryClient } from './client.ts'

export type LiveState = { state: 'off' | 'live' | 'paused' } | { state: 'lost'; since: string }

let current: LiveState = { state: 'off' }
const watchers = new Set<() => void>()
const listeners = new Set<(event: Event) => void>()
let stop: AbortController | null = null

function show(next: LiveState): void {
  current = next
  for (const watch of watchers) watch()
}

/** Subjects of an event by the prefix of its type; the queries of these subjects are reloaded. */
const subjects: readonly (readonly [prefix: string, subjects: readonly string[]])[] = [
  ['end_user', ['end-users', 'home']],
  ['information_request', ['end-users', 'deposits', 'home']],
  ['kyc', ['end-users', 'home']],
  ['virtual_account.payment', ['deposits', 'home', 'accounts']],
  ['virtual_account', ['accounts', 'end-users', 'deposits', 'home']],
  ['', ['deliveries', 'endpoints', 'latest-events']],
]

/** A business may have a hundred events a second: what they are about is read again once a second. */
const gatherMs = 1_000
const stale = new Set<string>()

function invalidate(event: Event): void {
  if (stale.size === 0) setTimeout(readAgain, gatherMs)
  for (const [prefix, names] of subjects)
    if (event.eventType.startsWith(prefix)) for (const name of names) stale.add(name)
}

let changesInProgress = 0

/** Reloads nothing while a change is sent: the page of a deleted object would read it once more, and not find it. */
export async function holdingReloads(change: () => Promise<unknown>): Promise<void> {
  changesInProgress += 1
  try {
    await change()
  } finally {
    changesInProgress -= 1
  }
}

function readAgain(): void {
  if (changesInProgress > 0) {
    setTimeout(readAgain, gatherMs)
    return
  }
  for (const subject of stale) void queryClient.invalidateQueries({ queryKey: [subject] })
  stale.clear()
}

async function follow(signal: AbortSignal): Promise<void> {
  try {
    // From the first response on, the position of `now` is known, so no event is missed.
    const onResponse = (): void => {
      if (current.state !== 'live') show({ state: 'live' })
    }
    const onRetry = (): void => {
      if (current.state !== 'lost') show({ state: 'lost', since: new Date().toISOString() })
    }
    for await (const event of causeway.events.stream({
      after: 'now',
      waitSeconds: 20,
      signal,
      onResponse,
      onRetry,
    })) {
      invalidate(event)
      for (const listen of listeners) listen(event)
    }
  } catch (failure) {
    // The pages themselves report an error such as an ended session.
    if (!signal.aborted) show({ state: failure instanceof ApiError ? 'off' : 'paused' })
  }
}

const resume = (): void => {
  if (stop !== null || document.hidden) return
  stop = new AbortController()
  void follow(stop.signal)
}

const pause = (): void => {
  stop?.abort()
  stop = null
  show({ state: 'paused' })
}

let isPausedByHand = false

const onVisibility = (): void => {
  if (document.hidden) pause()
  else if (!isPausedByHand) resume()
}

/** Begins to follow the stream, in this tab while it is visible. @returns how to end it */
export function startLive(): () => void {
  document.addEventListener('visibilitychange', onVisibility)
  resume()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    pause()
    show({ state: 'off' })
  }
}

/** Turns the following off and on by hand. */
export function toggleLive(): void {
  isPausedByHand = stop !== null
  if (isPausedByHand) pause()
  else resume()
}

export function useLive(): LiveState {
  return useSyncExternalStore(
    (watch) => {
      watchers.add(watch)
      return () => watchers.delete(watch)
    },
    () => current,
  )
}

/** Calls with each event while it is listened to. @returns how to end it */
export function onEvent(listener: (event: Event) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
