// A command for each operation of the API: its name by the path, its options by the OpenAPI document.

import { operations } from '../../../../sdk/src/generated/operations.gen.ts'
import type { CommandSpec } from '../../command.ts'
import { declared } from './declared.gen.ts'
import { describeOperation } from './document.ts'

type OperationName = keyof typeof operations

const verbs = { POST: 'create', PATCH: 'update', PUT: 'set', DELETE: 'delete' } as const

const names = Object.keys(operations).filter((name): name is OperationName => declared[name]?.command !== null)

export function resourceCommands(): readonly CommandSpec[] {
  const taken = new Set<string>()
  return names.map((id) => {
    const short = declared[id]?.command ?? nameOf(id)
    const name = taken.has(short) ? `${short.split(' ')[0]} ${kebab(id)}` : short
    taken.add(name)
    return commandOf(id, name)
  })
}

function commandOf(id: OperationName, name: string): CommandSpec {
  const { path, method, keyed, auth } = operations[id]
  const { summary, query, hasBody } = describeOperation(method, path)
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param)
  const options: [string, string][] = query.map(({ name: param, description }) => [
    `--${kebab(param)} <${param === 'limit' ? 'count' : 'value'}>`,
    description,
  ])
  if (id === 'listDeliveries') options.push(['--failed', 'only failed deliveries: the same as --status exhausted'])
  if (hasBody) {
    options.push(['--data <json>', 'the request body: JSON, @file, or - for standard input'])
    options.push(['*--set <field=value>', 'set a field of the body, such as source.currency=usd (repeatable)'])
  }
  if (keyed)
    options.push(['--idempotency-key <key>', 'a unique key of your choice, so that a retry does nothing twice'])
  return {
    name,
    summary: auth === 'operator' ? `${summary} (operator)` : summary,
    args: params.map((param) => [`<${param}>`, param === 'id' ? 'the ID' : `the ${param}`]),
    options,
    examples: [[name, ...params.map(exampleOf), ...(hasBody ? ['--data @body.json'] : [])].join(' ')],
    reach: 'api',
    load: async () => {
      const { callOperation } = await import('./call.ts')
      return (context) =>
        callOperation(
          id,
          params,
          query.map((param) => param.name),
          context,
        )
    },
  }
}

const exampleOf = (param: string): string => (param === 'externalUserId' ? 'ada' : `<${param}>`)

/** `GET /v0/virtual-accounts/{id}/deposits` is `virtual-accounts deposits`. */
function nameOf(id: OperationName): string {
  const { path, method, paged } = operations[id]
  const [noun = '', ...rest] = path.split('/').slice(2)
  const tail = rest.filter((segment) => !segment.startsWith('{')).join('-')
  const alone = names.every((other) => other === id || !operations[other].path.startsWith(`/v0/${noun}`))
  if (alone) return noun
  if (tail === '') return `${noun} ${method === 'GET' ? (paged ? 'list' : 'get') : verbs[method]}`
  const isOnly = names.every((other) => other === id || operations[other].path !== path)
  return `${noun} ${isOnly ? tail : `${firstWord(id)}-${tail}`}`
}

const firstWord = (id: string): string => /^[a-z]+/.exec(id)?.[0] ?? id

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
