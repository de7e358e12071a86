// Values as literals of the languages of the samples.

import { isRecord } from '../openapi-schemas.ts'

const widthMax = 100

interface Notation {
  readonly atom: (value: unknown) => string
  readonly key: (name: string) => string
  /** Space between a brace and its content on the same line. */
  readonly pad: string
  readonly indent: string
  /** Written after the last member if each member has its own line. */
  readonly last: string
}

const json: Notation = { atom: (value) => JSON.stringify(value), key: JSON.stringify, pad: '', indent: '  ', last: '' }

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const notations = {
  json,
  typescript: {
    atom: (value) => (typeof value === 'string' ? quoted(value) : JSON.stringify(value)),
    key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)),
    pad: ' ',
    indent: '  ',
    last: ',',
  },
  python: { ...json, indent: '    ', last: ',', atom: (value) => pythonWords.get(value) ?? JSON.stringify(value) },
} as const satisfies Record<string, Notation>

const pythonWords: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
])

/**
 * Writes a value on one line if it fits, else one member per line.
 * @param taken characters before the value on its line
 */
export function literal(value: unknown, language: keyof typeof notations, taken = 0): string {
  return written(value, notations[language], taken, '')
}

function written(value: unknown, notation: Notation, taken: number, indent: string): string {
  const inOneLine = short(value, notation)
  if (!isNested(value) || taken + inOneLine.length <= widthMax) return inOneLine
  const inner = indent + notation.indent
  const members = Array.isArray(value)
    ? value.map((item) => written(item, notation, inner.length, inner))
    : Object.entries(value).map(([name, member]) => {
        const key = `${notation.key(name)}: `
        return key + written(member, notation, inner.length + key.length, inner)
      })
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${members.map((member) => inner + member).join(',\n')}${notation.last}\n${indent}${close}`
}

const isNested = (value: unknown): value is object => Array.isArray(value) || isRecord(value)

function short(value: unknown, notation: Notation): string {
  if (Array.isArray(value)) return `[${value.map((item) => short(item, notation)).join(', ')}]`
  if (!isRecord(value)) return notation.atom(value)
  const members = Object.entries(value).map(([name, member]) => `${notation.key(name)}: ${short(member, notation)}`)
  return members.length === 0 ? '{}' : `{${notation.pad}${members.join(', ')}${notation.pad}}`
}
