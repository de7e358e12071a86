// A story: one write path of the product, from its initial state to the required final state, in Causeway and at the provider.

import type { Env, Stage } from '../stage.ts'
import type { Place, Sent } from '../world.ts'

export type Look = {
  /** Whether the effect is there. Half of one is a fault. */
  happened: boolean
  faults: string[]
}

/** The number of Causeway events of each type: exact, or from and to. */
export type EventCounts = Readonly<Record<string, number | readonly [from: number, to: number]>>

export type Scene = {
  place: Place
  /** The request under test; for a loop, null. */
  request: Sent | null
  /** Gives a loop its work. */
  trigger?: () => Promise<unknown>
  look(): Promise<Look>
  events?: EventCounts
  /** For work in pieces, before anyone repeats the request: the whole did not happen, but a piece may have an event. */
  eventsOfPieces?: EventCounts
}

export type Story = {
  name: string
  /** The operation of openapi.json that it is about. */
  operation: string | null
  /** The watched work: the request, or the loop of this name. */
  watch: 'request' | { loop: string; fromStart: boolean }
  env: Env
  /** Shares work with others in the server, so it must be the only stopped path there. */
  alone: boolean
  /** Codes that may show a repeat that the first request succeeded, when the first response was lost. */
  orElse: readonly string[]
  /**
   * Why a repeat may execute the request again when the first response was lost: the effect has no own key, and an
   * `Idempotency-Key` is finished after it.
   */
  again: string | null
  /** Why the request may leave an operation open that nobody but its caller can end. */
  mayStayOpen: string | null
  prepare(stage: Stage): Promise<Scene>
}

export const withoutKey = 'there is no Idempotency-Key here'

type Given = Pick<Story, 'name' | 'prepare'> & Partial<Story>

export function story(given: Given): Story {
  return {
    operation: null,
    watch: 'request',
    env: {},
    alone: false,
    orElse: [],
    again: null,
    mayStayOpen: null,
    ...given,
  }
}

/** The story of an operation is named by it: `createEndUser` is `create-end-user`. */
export function operationStory(operation: string, given: Omit<Given, 'name'> & { name?: string }): Story {
  return story({ name: kebab(operation), operation, ...given })
}

/** A loop has its work given by what the story triggers; its name is that of the loop in the product. */
export function loopStory(name: string, loop: string, given: Omit<Given, 'name'>, fromStart = false): Story {
  return story({ name, watch: { loop, fromStart }, alone: true, ...given })
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Both sides or neither. */
export function alike(here: boolean, upstream: boolean): Look {
  const faults = here === upstream ? [] : [`it is ${here ? '' : 'not '}here, and ${upstream ? '' : 'not '}upstream`]
  return { happened: here && upstream, faults }
}

export function counted(what: string, count: number, max = 1): Look {
  return { happened: count > 0, faults: count > max ? [`there are ${count} ${what}, not ${max}`] : [] }
}
