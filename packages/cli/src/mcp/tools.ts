// The tools of `causeway mcp`: one per subject of the API for reading operations, and with `--write` a second one for operations
// that change data. Parameters and texts come from the OpenAPI document.

import { operations } from '../../../sdk/src/generated/operations.gen.ts'
import type { OperationId } from '../../../sdk/src/index.ts'
import { declared } from '../commands/resources/declared.gen.ts'
import {
  describeInput,
  describeOperation,
  type Schema,
  subjectText,
  type TypedParameter,
} from '../commands/resources/document.ts'

export type Action = {
  id: OperationId
  summary: string
  /** In the path: required. */
  path: readonly string[]
  query: readonly string[]
  body: Schema | null
  parameters: readonly TypedParameter[]
}

export type Tool = {
  name: string
  title: string
  description: string
  isReading: boolean
  isDestructive: boolean
  actions: ReadonlyMap<string, Action>
  inputSchema: Schema
}

/** @returns the tools in the order of the document; tools that write only with `mayWrite` */
export function listTools(mayWrite: boolean): readonly Tool[] {
  const reading = toolsOf(isReading, '')
  return mayWrite ? [...reading, ...toolsOf(isWriting, '_write')] : reading
}

/**
 * Returns true if an operation can be an action with `--write`: only if its declaration sets `assistant`. Some responses contain
 * secrets and some bodies identity data, which do not belong in a conversation.
 */
export const isWriting = (id: string): boolean => declared[id]?.assistant !== undefined

const isReading = (id: OperationId): boolean => operations[id].auth === 'business' && operations[id].method === 'GET'

function toolsOf(isWanted: (id: OperationId) => boolean, ending: string): Tool[] {
  const bySubject = new Map<string, Action[]>()
  for (const id of Object.keys(operations) as OperationId[]) {
    if (!isWanted(id)) continue
    const { subject, ...action } = actionOf(id)
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), action])
  }
  return [...bySubject].map(([subject, actions]) => ({
    name: `${subject.toLowerCase().replace(/\W+/g, '_')}${ending}`,
    title: ending === '' ? subject : `${subject}: changes`,
    description: `${subjectText(subject)} Actions:\n${actions.map(lineOf).join('\n')}`.trimStart(),
    isReading: ending === '',
    isDestructive: actions.some(({ id }) => declared[id]?.assistant === 'destroys'),
    actions: new Map(actions.map((action) => [action.id, action])),
    inputSchema: inputSchemaOf(actions),
  }))
}

function actionOf(id: OperationId): Action & { subject: string } {
  const { method, path } = operations[id]
  const { subject, query, path: params, body } = describeInput(method, path)
  return {
    id,
    subject,
    summary: describeOperation(method, path).summary,
    path: params.map(({ name }) => name),
    query: query.map(({ name }) => name),
    body,
    parameters: [...params, ...query],
  }
}

function lineOf({ id, summary, path, query, body }: Action): string {
  const taken = [...path, ...query.map((name) => `${name}?`), ...(body ? ['body'] : [])]
  return `- ${id}(${taken.join(', ')}): ${summary}`
}

function inputSchemaOf(actions: readonly Action[]): Schema {
  const bodies = actions.flatMap(({ id, body }) => (body ? [{ title: id, ...body }] : []))
  const names = new Set(actions.flatMap(({ parameters }) => parameters.map(({ name }) => name)))
  return {
    type: 'object',
    properties: {
      action: { type: 'string', enum: actions.map(({ id }) => id), description: 'The operation to call.' },
      ...Object.fromEntries([...names].map((name) => [name, parameterSchema(name, actions)])),
      ...(bodies.length === 0 ? {} : { body: bodies.length === 1 ? bodies[0] : { anyOf: bodies } }),
    },
    required: ['action'],
    additionalProperties: false,
  }
}

/** A parameter name can have different meanings: returns each schema with its actions. */
function parameterSchema(name: string, actions: readonly Action[]): Schema {
  const forms = new Map<string, { schema: Schema; of: string[] }>()
  for (const { id, parameters } of actions) {
    for (const { name: own, description, schema } of parameters) {
      if (own !== name) continue
      const form = { ...schema, ...(description === '' ? {} : { description }) }
      const known = forms.get(JSON.stringify(form))
      if (known) known.of.push(id)
      else forms.set(JSON.stringify(form), { schema: form, of: [id] })
    }
  }
  const [first, ...others] = [...forms.values()]
  if (first && others.length === 0) return first.schema
  return { anyOf: [...forms.values()].map(({ schema, of }) => ({ title: of.join(', '), ...schema })) }
}
