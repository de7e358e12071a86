// The allowed responses for a stopped holder, for the honest retry, and for a repeat after both. Pure.

import type { Answer } from '../../../../server/test/caller.ts'
import { isFinal } from '../run.ts'
import type { Scene, Story } from '../stories/story.ts'

export type Responses = {
  /** To the holder, after it was thawed. */
  frozen: Answer | null
  /** To the same request at the second server, while the holder was stopped. */
  retry: Answer | null
  /** To the same request once more, after the holder has ended. */
  repeat: Answer | null
}

/** An `Idempotency-Key` counts on the operations of a business. */
export function hasKey({ request }: Pick<Scene, 'request'>): boolean {
  return request !== null && (request.as ?? 'business') === 'business' && request.path.startsWith('/v0/')
}

/** @returns faults of the responses; for work in pieces, each response counts the pieces of that request */
export function freezeFaults(
  story: Pick<Story, 'orElse'>,
  scene: Pick<Scene, 'request' | 'eventsOfPieces'>,
  responses: Responses,
): string[] {
  const { frozen, retry, repeat } = responses
  if (!frozen) return ['the thawed holder was not answered']
  if (!retry || !repeat) return ['a repeat was not answered']
  const faults: string[] = []
  if (!hasKey(scene)) {
    const isKnown = frozen.status === 200 || !isFinal(frozen) || story.orElse.includes(frozen.body?.error?.code)
    return isKnown ? [] : [`the thawed holder was answered with ${textOf(frozen)}`]
  }
  if (isFinal(frozen) && !scene.eventsOfPieces && frozen.text !== retry.text)
    faults.push(`the thawed holder was answered with ${textOf(frozen)}, the retry with ${textOf(retry)}`)
  if (retry.status !== 200) faults.push(`the retry ended with ${textOf(retry)}`)
  if (repeat.status !== retry.status || repeat.text !== retry.text)
    faults.push(`the repeat was answered with ${textOf(repeat)}, the retry with ${textOf(retry)}`)
  return faults
}

function textOf({ status, text }: Answer): string {
  return `${status} ${text}`
}
