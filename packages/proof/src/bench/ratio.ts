// The result of a measurement: figures of several rounds, and a goal. Each round measures both members of a pair one after the
// other, so that other load on the machine affects both.

import type { Cost } from '../cost-per-event/cost.ts'

export type Figures = { median: number; min: number; max: number; pairs: number }

export type Ratio = {
  /** As in the table of goals: `P2`. */
  id: string
  /** A second figure under the same id, e.g. `signed`. */
  part: string | null
  what: string
  /** A figure without a goal is shown next to one with a goal. */
  goal: { atLeast: number | null } | { atMost: number | null; unit: 'ms' | 'MiB' | '%' }
  figures: Figures
}

/** A speed or a time behind the ratios. */
export type Speed = { what: string; unit: '/s' | 'µs'; figures: Figures }

export type Measured = { ratios: Ratio[]; speeds: Speed[]; costs?: Cost[] }

/** @param values one a round */
export function figuresOf(values: readonly number[]): Figures {
  const sorted = [...values].sort((a, b) => a - b)
  const [min, max] = [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN]
  return { median: quantileOf(sorted, 0.5), min, max, pairs: sorted.length }
}

/** Between the two neighbours where it falls between them. */
export function quantileOf(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN]
  return below + (above - below) * (place - Math.floor(place))
}

/** @returns null without a goal */
export function isReached({ goal, figures }: Ratio): boolean | null {
  if ('atLeast' in goal) return goal.atLeast === null ? null : figures.median >= goal.atLeast
  return goal.atMost === null ? null : figures.median <= goal.atMost
}

/** Figures of the rounds by name, as they come in. */
export class Rounds {
  readonly #values = new Map<string, number[]>()

  note(name: string, value: number): void {
    this.#values.set(name, [...(this.#values.get(name) ?? []), value])
  }

  of(name: string): Figures {
    return figuresOf(this.#values.get(name) ?? [])
  }

  /** Round by round, one divided by the other. */
  quotient(name: string, by: string): Figures {
    const below = this.#values.get(by) ?? []
    return figuresOf((this.#values.get(name) ?? []).map((value, round) => value / (below[round] ?? Number.NaN)))
  }
}
