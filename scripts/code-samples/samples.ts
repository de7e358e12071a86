// The code samples of each operation: the recorded request with curl, with the SDK, and in Python with httpx.

import { allOperations } from '../../packages/server/src/app/operations.ts'
import { isRecord, type JsonRecord } from '../openapi-schemas.ts'
import { literal } from './literals.ts'

/** A request to an operation, without its key. `at` contains the values of the path parameters, in order. */
export type RecordedRequest = {
  at?: string | readonly string[]
  query?: Readonly<Record<string, string | number>>
  body?: JsonRecord
}

export type Operation = {
  readonly id: string
  readonly method: string
  /** As OpenAPI writes it: `/v0/end-users/{externalUserId}`. */
  readonly path: string
  readonly credential: 'API_KEY' | 'ADMIN_SECRET' | null
  readonly isList: boolean
  readonly takesIdempotencyKey: boolean
}

const spellings = new Map(allOperations.map(({ id, sdk }) => [id, sdk]))

export type Samples = { curl: string; typescript: string; python: string }

/** @returns each operation of a document, in its order */
export function operationsOf({ paths }: JsonRecord): (Operation & { readonly described: JsonRecord })[] {
  return recordsOf(paths).flatMap(([path, item]) =>
    recordsOf(item).map(([method, described]) => {
      const parameters = Array.isArray(described['parameters']) ? described['parameters'].filter(isRecord) : []
      const [security] = Array.isArray(described['security']) ? described['security'] : []
      const scheme = Object.keys(isRecord(security) ? security : {})[0]
      return {
        described,
        id: String(described['operationId']),
        method: method.toUpperCase(),
        path,
        credential: scheme === undefined ? null : scheme === 'operatorSecret' ? 'ADMIN_SECRET' : 'API_KEY',
        isList: parameters.some(({ name }) => name === 'cursor'),
        takesIdempotencyKey: parameters.some(({ $ref }) => String($ref).endsWith('/IdempotencyKey')),
      }
    }),
  )
}

const recordsOf = (value: unknown): [string, JsonRecord][] =>
  Object.entries(isRecord(value) ? value : {}).flatMap(([name, member]) => (isRecord(member) ? [[name, member]] : []))

/** @throws Error when the declaration of a business's operation has no `sdk` */
export function samplesOf(operation: Operation, request: RecordedRequest): Samples {
  return {
    curl: curl(operation, request),
    typescript: `${sdkHeader(operation)}\n\n${sdkCall(operation, request)}`,
    python: python(operation, request),
  }
}

function curl(operation: Operation, request: RecordedRequest): string {
  const { method, credential, takesIdempotencyKey } = operation
  const hasBody = isFilled(request.body)
  const isImplied = method === 'GET' || (method === 'POST' && hasBody)
  return [
    `curl ${isImplied ? '' : `-X ${method} `}"$CAUSEWAY_URL${addressOf(operation, request)}"`,
    ...(credential === null ? [] : [`-H "Authorization: Bearer $CAUSEWAY_${credential}"`]),
    ...(takesIdempotencyKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(hasBody ? ['-H "Content-Type: application/json"'] : []),
    ...(hasBody ? [`-d '${literal(request.body, 'json', 8).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`] : []),
  ].join(' \\\n  ')
}

function python(operation: Operation, request: RecordedRequest): string {
  const { method, credential, takesIdempotencyKey } = operation
  const sent = [
    `"${addressOf(operation, request)}"`,
    ...(isFilled(request.body) ? [`json=${literal(request.body, 'python', 9).replaceAll('\n', '\n    ')}`] : []),
    ...(takesIdempotencyKey ? ['headers={"Idempotency-Key": str(uuid.uuid4())}'] : []),
  ]
  const call = `causeway.${method.toLowerCase()}(`
  const inOneLine = `${call}${sent.join(', ')})`
  const fits = !inOneLine.includes('\n') && inOneLine.length <= 100
  return [
    ...['import os', ...(takesIdempotencyKey ? ['import uuid'] : []), '', 'import httpx', ''],
    ...['causeway = httpx.Client(', '    base_url=os.environ["CAUSEWAY_URL"],'],
    ...(credential === null
      ? []
      : [`    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_${credential}']}"},`]),
    ...[')', ''],
    `response = ${fits ? inOneLine : `${call}\n${sent.map((part) => `    ${part},\n`).join('')})`}`,
    'response.raise_for_status()',
    'print(response.json()["data"])',
  ].join('\n')
}

/** Fills the places of a path, one after the other. */
export function filled(path: string, at: RecordedRequest['at'] = ''): string {
  const rest = [at].flat()
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(rest.shift() ?? ''))
}

function addressOf({ path }: Operation, { at, query = {} }: RecordedRequest): string {
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  // A query may hold these as they are, and they read better.
  const readable = search.length > 0 ? [search.join('&').replace(/%2C|%3A|%2F/g, decodeURIComponent)] : []
  return [filled(path, at), ...readable].join('?')
}

function sdkHeader({ credential }: Operation): string {
  const members = ['baseUrl: process.env.CAUSEWAY_URL!', `apiKey: process.env.CAUSEWAY_${credential ?? 'API_KEY'}!`]
  return [
    ...["import { Causeway } from '@causeway/sdk'", '', 'const causeway = new Causeway({'],
    ...[...members.map((member) => `  ${member},`), '})'],
  ].join('\n')
}

/** @returns the statements that follow the making of the client `causeway` */
export function sdkCall(operation: Operation, request: RecordedRequest): string {
  const call = `causeway.${callOf(operation, request)}`
  if (operation.isList && operation.credential === 'API_KEY')
    return `for await (const ${itemOf(operation.id)} of ${call}) {\n  console.log(${itemOf(operation.id)})\n}`
  const isShort = !call.includes('\n') && call.length < 80
  return isShort ? `console.log(await ${call})` : `const result = await ${call}\nconsole.log(result)`
}

function callOf({ id, path, credential }: Operation, request: RecordedRequest): string {
  const { at, query, body } = request
  const spelled = spellings.get(id)
  if (spelled === undefined) {
    if (credential === 'API_KEY') throw new Error(`say in the declaration of ${id} how the SDK spells it`)
    const values = at === undefined ? [] : [at].flat()
    const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ''], nth) => [name, values[nth]])
    const input = { ...(at && { path: Object.fromEntries(places) }), ...(query && { query }), ...(body && { body }) }
    return `call('${id}', ${literal(input, 'typescript', 40)})`
  }
  const [, method = '', names = ''] = /^([\w.]+)\((.*)\)$/.exec(spelled) ?? []
  const words = names.split(', ')
  // Members that are separate arguments are not repeated in the rest.
  const rest = (sent: object = {}) => Object.fromEntries(Object.entries(sent).filter(([name]) => !words.includes(name)))
  const values: Readonly<Record<string, unknown>> = { ...query, ...body, at, query: rest(query), body: rest(body) }
  const given = words
    .map((name) => values[name])
    .filter((value) => (typeof value === 'object' ? isFilled(value) : value !== undefined))
  return `${method}(${given.map((value) => literal(value, 'typescript', method.length + 20)).join(', ')})`
}

const isFilled = (value: unknown): boolean => Object.keys(value ?? {}).length > 0

/** `listDeliveriesOfEvent` → `delivery`. */
function itemOf(operationId: string): string {
  const [, noun = ''] = /^list(\w+?)(?:Of\w+)?$/.exec(operationId) ?? []
  const singular = noun.endsWith('ies') ? `${noun.slice(0, -3)}y` : noun.slice(0, -1)
  return singular.charAt(0).toLowerCase() + singular.slice(1)
}

const labels = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const
const languages = { curl: 'bash', typescript: 'typescript', python: 'python' } as const

/** A recording asks for short pages; a reader wants the list. */
function shown({ query, ...request }: RecordedRequest = {}): RecordedRequest {
  const { limit: _limit, ...filters } = query ?? {}
  return isFilled(filters) ? { ...request, query: filters } : request
}

/** Adds to each operation its samples, and to its body the one that was recorded. */
export function addCodeSamples(document: JsonRecord, requests: Readonly<Record<string, RecordedRequest>>): void {
  for (const { described, ...operation } of operationsOf(document)) {
    const request = shown(requests[operation.id])
    const samples = samplesOf(operation, request)
    described['x-codeSamples'] = (['curl', 'typescript', 'python'] as const).map((name) => ({
      lang: languages[name],
      label: labels[name],
      source: samples[name],
    }))
    const body = isRecord(described['requestBody']) ? described['requestBody']['content'] : undefined
    const content = isRecord(body) ? body['application/json'] : undefined
    if (isRecord(content) && isFilled(request.body)) content['example'] = request.body
  }
}

/** @returns the statements of each sample as functions, for the compiler to check and for a test to run */
export function sampleFunctions(document: JsonRecord, requests: Readonly<Record<string, RecordedRequest>>): string {
  const functions = operationsOf(document).map(
    (operation) =>
      `  ${operation.id}: async (causeway, console) => {\n${indented(sdkCall(operation, shown(requests[operation.id])))}\n  },\n`,
  )
  return `// Generated by \`npm run generate\`: the TypeScript samples of the API reference. Do not edit.\n
import type { Causeway, OperationId } from '@causeway/sdk'

type Sample = (causeway: Causeway, console: { log(value: unknown): void }) => Promise<void>

export const samples: Readonly<Record<OperationId, Sample>> = {
${functions.join('')}}
`
}

const indented = (text: string): string => text.replace(/^/gm, '    ')
