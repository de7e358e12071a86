// Switches for ways in which a real provider differs from its newest document. All are off at the start. They are kept in
// memory only.
import { invalidParameters } from '../platform/errors.ts'
import { boolean, object, parse } from '../platform/fields.ts'

export type Behaviour<Name extends string> = {
  has(name: Name): boolean
  /** Sets the named behaviours and leaves the others as they are. */
  change(order: unknown): void
  all(): Record<string, boolean>
  reset(): void
}

/** @param check throws a Refusal for a switch that cannot be set */
export const createBehaviour = <Name extends string>(
  names: readonly Name[],
  check: (name: Name) => void,
): Behaviour<Name> => {
  const order = object(Object.fromEntries(names.map((name) => [name, boolean])))
  const on = new Set<Name>()
  return {
    has: (name) => on.has(name),
    change: (body) => {
      const given: Partial<Record<string, boolean>> = parse(order, body)
      const unknown = Object.keys(Object(body)).filter((name) => !names.some((known) => known === name))
      if (unknown.length > 0) {
        throw invalidParameters('body', Object.fromEntries(unknown.map((name) => [name, 'Not supported'])))
      }
      for (const name of names) if (given[name] === true) check(name)
      for (const name of names) {
        if (given[name] === true) on.add(name)
        else if (given[name] === false) on.delete(name)
      }
    },
    all: () => Object.fromEntries(names.map((name) => [name, on.has(name)])),
    reset: () => on.clear(),
  }
}
