// The command lines of the proofs: each describes its options once, for reading, judging and `--help`.

import { parseArgs } from 'node:util'

export type Option<T> = {
  /** Follows the name in the usage; null for a switch. */
  placeholder: string | null
  help: string
  byDefault: T
  /** @throws RangeError that says what the option takes */
  read(text: string): T
}

/** The options of a proof, by the type of what they read. */
export type Options<O> = { [K in keyof O]: Option<O[K]> }

/**
 * Reads the options of a proof. Prints the usage and ends the process on `--help` (0) and on a mistake (64).
 * @param script of package.json, e.g. `chaos:relay`
 * @param about what the proof shows
 */
export function readOptions<O extends Record<string, unknown>>(script: string, about: string, options: Options<O>): O {
  const described = Object.entries<Option<unknown>>(options)
  try {
    const given = parse(described)
    if (given['help']) {
      console.log(usageOf(script, about, described))
      process.exit(0)
    }
    const read = described.map(([name, option]) => {
      const value = given[name]
      return [name, value === undefined ? option.byDefault : option.read(value)]
    })
    return Object.fromEntries(read)
  } catch (error) {
    return refuse(script, `${(error as Error).message}\n\n${usageOf(script, about, described)}`)
  }
}

/** Parses the command line. @returns the text of each option; a repeated option's texts are joined by commas */
function parse(options: readonly (readonly [string, Option<unknown>])[]): Record<string, string | undefined> {
  const types = options.map(([name, { placeholder }]) => {
    const type: 'string' | 'boolean' = placeholder ? 'string' : 'boolean'
    return [name, { type, multiple: true }] as const
  })
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h', multiple: true }, ...Object.fromEntries(types) },
  })
  return Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all?.join(',')]))
}

/** Ends the process because of a mistake on its command line. */
export function refuse(script: string, problem: string): never {
  console.error(`${script}: ${problem}`)
  process.exit(64)
}

function usageOf(script: string, about: string, options: readonly (readonly [string, Option<unknown>])[]): string {
  const lines = options.map(([name, { placeholder, help }]) => {
    const left = placeholder ? `--${name} ${placeholder}` : `--${name}`
    return `  ${left.padEnd(16)} ${help}`
  })
  return `${about}\n\nnpm run ${script} -- [options]\n${lines.join('\n')}\n  --help           this text`
}

/** A whole number, `from` or more. */
export function wholeNumber<D extends number | undefined>(help: string, byDefault: D, from = 1): Option<number | D> {
  return numberOf(
    help,
    byDefault,
    `a whole number from ${from}`,
    (value) => Number.isSafeInteger(value) && value >= from,
  )
}

/** A number above zero. */
export function positive<D extends number | undefined>(help: string, byDefault: D): Option<number | D> {
  return numberOf(help, byDefault, 'a number above zero', (value) => value > 0)
}

export function seedOption(): Option<number> {
  const help = 'repeats the schedule of the run that printed this seed'
  return { ...wholeNumber('', Date.now() % 0x7fff_ffff, 0), placeholder: 'S', help }
}

export function text<D extends string | undefined>(
  placeholder: string,
  help: string,
  byDefault: D,
): Option<string | D> {
  return { placeholder, help, byDefault, read: (given) => given }
}

/** One of the names; the first by default. */
export function oneOf<N extends string>(help: string, names: readonly [N, ...N[]]): Option<N> {
  const read = (given: string): N => {
    const found = names.find((name) => name === given)
    if (found === undefined) throw new RangeError(`"${given}" is none of ${names.join(',')}`)
    return found
  }
  return { placeholder: names.join('|'), help, byDefault: names[0], read }
}

/** Some of the names, separated by commas. */
export function someOf(help: string, names: readonly string[]): Option<readonly string[]> {
  const read = (given: string): readonly string[] => {
    const wanted = given.split(',')
    const unknown = wanted.find((name) => !names.includes(name))
    if (unknown !== undefined) throw new RangeError(`"${unknown}" is none of ${names.join(',')}`)
    return wanted
  }
  return { placeholder: 'A,B', help: `${help}: ${names.join(',')}`, byDefault: names, read }
}

export function flag(help: string): Option<boolean> {
  return { placeholder: null, help, byDefault: false, read: () => true }
}

function numberOf<D extends number | undefined>(
  help: string,
  byDefault: D,
  takes: string,
  isValid: (value: number) => boolean,
): Option<number | D> {
  const read = (given: string): number => {
    if (given.trim() === '' || !isValid(Number(given))) throw new RangeError(`"${given}" is not ${takes}`)
    return Number(given)
  }
  return { placeholder: 'N', help: byDefault === undefined ? help : `${help} (${byDefault})`, byDefault, read }
}
