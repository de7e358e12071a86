// The API as collections for Postman and Bruno, made of the OpenAPI document when the site is built: a folder for each tag, a
// request for each operation, with the body that was recorded.

import { type Operation, operationsOf } from './code-samples/samples.ts'
import { isRecord, type JsonRecord } from './openapi-schemas.ts'

type Parameter = { readonly name: string; readonly value: string; readonly description: string }
type Request = Operation & {
  readonly title: string
  readonly tag: string
  readonly pathParameters: readonly Parameter[]
  readonly queryParameters: readonly Parameter[]
  /** Indented JSON. */
  readonly body: string | null
}
type Folder = { readonly name: string; readonly description: string; readonly requests: readonly Request[] }

/** @returns the files of the collections by their names */
export function collections(document: JsonRecord): Readonly<Record<string, JsonRecord>> {
  const folders = foldersOf(document)
  const [server] = listOf(document['servers'])
  const baseUrl = String(server?.['url'])
  return {
    'causeway.postman.json': postman(folders, baseUrl),
    'causeway.bruno.json': bruno(folders, baseUrl),
  }
}

function postman(folders: readonly Folder[], baseUrl: string): JsonRecord {
  const bearer = (variable: string) => ({
    type: 'bearer',
    bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }],
  })
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
  const itemOf = (request: Request) => ({
    name: request.title,
    request: {
      method: request.method,
      ...(request.credential === 'ADMIN_SECRET' && { auth: bearer('adminSecret') }),
      ...(request.credential === null && { auth: { type: 'noauth' } }),
      header: headersOf(request).map(([key, value]) => ({ key, value })),
      url: {
        raw: addressOf(request),
        host: ['{{baseUrl}}'],
        path: colonPath(request).slice(1).split('/'),
        query: request.queryParameters.map(({ name, ...rest }) => ({ key: name, ...rest, disabled: true })),
        variable: request.pathParameters.map(({ name, ...rest }) => ({ key: name, ...rest })),
      },
      ...(request.body !== null && {
        body: { mode: 'raw', raw: request.body, options: { raw: { language: 'json' } } },
      }),
    },
  })
  return {
    info: { name: 'Causeway', schema },
    auth: bearer('apiKey'),
    variable: variables(baseUrl).map(([key, value]) => ({ key, value })),
    item: folders.map(({ name, description, requests }) => ({ name, description, item: requests.map(itemOf) })),
  }
}

function bruno(folders: readonly Folder[], baseUrl: string): JsonRecord {
  const authOf = ({ credential }: Request) => {
    if (credential === null) return { mode: 'none' }
    return credential === 'API_KEY' ? { mode: 'inherit' } : { mode: 'bearer', bearer: { token: '{{adminSecret}}' } }
  }
  const itemOf = (request: Request, index: number) => ({
    type: 'http',
    name: request.title,
    seq: index + 1,
    request: {
      url: addressOf(request),
      method: request.method,
      headers: headersOf(request).map(([name, value]) => ({ name, value, enabled: true })),
      params: [
        ...request.pathParameters.map((parameter) => ({ ...parameter, type: 'path', enabled: true })),
        ...request.queryParameters.map((parameter) => ({ ...parameter, type: 'query', enabled: false })),
      ],
      auth: authOf(request),
      body: request.body === null ? { mode: 'none' } : { mode: 'json', json: request.body },
      script: {},
      vars: {},
      assertions: [],
      tests: '',
      docs: '',
    },
  })
  const local = variables(baseUrl).map(([name, value]) => ({ name, value, type: 'text', enabled: true, secret: false }))
  return {
    name: 'Causeway',
    version: '1',
    items: folders.map(({ name, requests }) => ({ type: 'folder', name, items: requests.map(itemOf) })),
    environments: [{ name: 'Local', variables: local }],
    root: { request: { auth: { mode: 'bearer', bearer: { token: '{{apiKey}}' } } } },
  }
}

const variables = (baseUrl: string): [string, string][] => [
  ['baseUrl', baseUrl],
  ['apiKey', ''],
  ['adminSecret', ''],
]

const colonPath = ({ path }: Request): string => path.replace(/\{(\w+)\}/g, ':$1')
const addressOf = (request: Request): string => `{{baseUrl}}${colonPath(request)}`

function headersOf({ takesIdempotencyKey, body }: Request): [string, string][] {
  return [
    ...(takesIdempotencyKey ? ([['Idempotency-Key', '{{$guid}}']] as [string, string][]) : []),
    ...(body === null ? [] : ([['Content-Type', 'application/json']] as [string, string][])),
  ]
}

function foldersOf(document: JsonRecord): Folder[] {
  const requests = operationsOf(document).map(({ described, ...operation }): Request => {
    const parameters = listOf(described['parameters'])
    const placed = (where: string): Parameter[] => parameters.filter((one) => one['in'] === where).map(parameterOf)
    const [tag] = Array.isArray(described['tags']) ? described['tags'] : []
    return {
      ...operation,
      title: String(described['summary']),
      tag: String(tag),
      pathParameters: placed('path'),
      queryParameters: placed('query'),
      body: bodyOf(described['requestBody']),
    }
  })
  return listOf(document['tags']).map(({ name, description }) => ({
    name: String(name),
    description: String(description),
    requests: requests.filter(({ tag }) => tag === name),
  }))
}

function parameterOf({ name, description = '', example, schema }: JsonRecord): Parameter {
  const [first = ''] = isRecord(schema) && Array.isArray(schema['examples']) ? schema['examples'] : []
  return { name: String(name), value: String(example ?? first), description: String(description) }
}

function bodyOf(requestBody: unknown): string | null {
  const content = isRecord(requestBody) && isRecord(requestBody['content']) ? requestBody['content'] : {}
  const json = content['application/json']
  return isRecord(json) && json['example'] !== undefined ? JSON.stringify(json['example'], null, 2) : null
}

const listOf = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : [])
