// The OpenAPI document: what @fastify/swagger reads off the declared operations, and what follows from how each is guarded.

import swagger from '@fastify/swagger'
import Fastify, { type RouteOptions } from 'fastify'
import { allOperations } from '../packages/server/src/app/operations.ts'
import { type CsvColumns, csvOf } from '../packages/server/src/platform/http/csv.ts'
import { isDescribed, type Operation } from '../packages/server/src/platform/http/operation.ts'
import { isOptionalBody } from '../packages/server/src/platform/http/schema/validation.ts'
import { routeOf } from '../packages/server/src/platform/http/serve.ts'
import {
  errorCodesOf,
  errorExamples,
  errorResponses,
  errorSchemas,
  sharedErrorResponses,
  takesIdempotencyKey,
} from './openapi-errors.ts'
import { hoistTitled, isRecord, type JsonRecord, nameEnvelope, withoutOurWords } from './openapi-schemas.ts'
import { anyEvent, eventWebhooks } from './openapi-webhooks.ts'

const info = {
  title: 'Causeway API',
  version: 'v0',
  description: [
    'Onboard end-users, open virtual accounts that turn bank deposits into crypto transfers, and receive signed events.',
    '',
    'Every successful response is 200 with one property, `data`. Lists are newest first; a `Link` header with `rel="next"` contains the URL of the next page.',
    'Every error has the same format and a stable code. With `Accept: application/problem+json`, errors follow RFC 9457.',
    'Every response contains `X-Request-Id`. You can safely retry a `POST`, `PUT`, `PATCH` or `DELETE` with the same `Idempotency-Key`.',
  ].join('\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

/** A server that hands the document out puts its own address in this place. */
const servers = [{ url: 'http://127.0.0.1:8080', description: 'The local environment that `npm start` starts.' }]

/** In the order in which an integrator meets them. */
const tags = {
  'End-users': 'The people and companies that a business serves, under the business’s own identifiers.',
  Onboarding: 'Terms of Service, KYC, and open requirements.',
  'Virtual accounts': 'Bank details whose deposits are converted and sent to a wallet.',
  Deposits: 'Deposits, their statuses and their history.',
  'Information requests': 'Requests of the provider for information about end-users and deposits.',
  Webhooks: 'Where Causeway sends events.',
  Alerts: 'Messages to your staff when an endpoint, a deposit or an account needs attention.',
  Events: 'Events, their deliveries and delivery attempts.',
  'API keys': 'API keys and their scopes.',
  'Console links': 'One-time links into the console for the staff of a business.',
  Staff: 'Staff who sign in to the console, and the OpenID Connect issuer where they do so.',
  Statistics: 'Counts by status and over time.',
  Capabilities: 'Currencies, rails and tokens that can be combined in this deployment.',
  Operator: 'For the operator of this service: its businesses and their keys.',
  Provider: 'For the payment provider only.',
  Sandbox: 'Simulate end-users, deposits and provider errors in a sandbox deployment.',
} as const

const securitySchemes = {
  businessKey: { type: 'http', scheme: 'bearer', description: 'The API key of a business: starts with `svc_`.' },
  operatorSecret: { type: 'http', scheme: 'bearer', description: 'The operator secret of this deployment.' },
} as const

/** Writes the OpenAPI document. Recorded responses, by operation id, are its examples; a test finds operations without one. */
export async function describeApi(
  answers: JsonRecord,
  operations: readonly Operation[] = allOperations,
): Promise<JsonRecord> {
  const routes = operations.filter(isDescribed).map((operation): RouteOptions => routeOf(operation))
  const app = Fastify()
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info, components: { securitySchemes } },
    convertConstToEnum: false,
  })
  for (const route of routes) app.route(route)
  await app.ready()
  const paths = withoutOurWords(JSON.parse(JSON.stringify(app.swagger().paths)))
  await app.close()
  for (const route of routes) completeOperation(operationOf(paths, route), route)
  const schemas = errorSchemas()
  const responses = sharedErrorResponses(routes.map(errorCodesOf))
  const hoistedPaths = hoistTitled(paths, schemas)
  for (const route of routes) completeSuccess(operationOf(hoistedPaths, route), route, schemas, answers)
  const webhooks = eventWebhooks(schemas)
  schemas['BusinessEvent'] = anyEvent()
  return {
    openapi: '3.1.0',
    info,
    servers,
    tags: usedTags(routes),
    paths: hoistedPaths,
    webhooks,
    components: { securitySchemes, schemas, responses, parameters, headers, examples: errorExamples() },
  }
}

function operationOf(paths: unknown, route: RouteOptions): JsonRecord {
  const path = isRecord(paths) ? paths[route.url.replace(/:(\w+)/g, '{$1}')] : undefined
  const operation = isRecord(path) ? path[String(route.method).toLowerCase()] : undefined
  if (!isRecord(operation)) throw new Error(`${nameOf(route)} did not get into the document`)
  return operation
}

/** Adds what the schemas of a route do not say. */
function completeOperation(operation: JsonRecord, route: RouteOptions): void {
  const { schema, config } = route
  if (!schema?.operationId || !schema.summary || !schema.tags?.[0])
    throw new Error(`${nameOf(route)} lacks an operationId, a summary or a tag`)
  operation['security'] = securityOf(route)
  completeParameters(operation['parameters'])
  if (schema.body !== undefined && isRecord(operation['requestBody']))
    operation['requestBody']['required'] = !isOptionalBody(schema.body)
  if (config?.describedBody)
    operation['requestBody'] = requestBody(withoutOurWords(config.describedBody), config.multipart === true)
  if (takesIdempotencyKey(route)) {
    const own = Array.isArray(operation['parameters']) ? operation['parameters'] : []
    operation['parameters'] = [...own, { $ref: '#/components/parameters/IdempotencyKey' }]
  }
  const success = isRecord(operation['responses']) ? operation['responses']['200'] : undefined
  if (!isRecord(success)) throw new Error(`${nameOf(route)} does not say what its success looks like`)
  const codes = errorCodesOf(route)
  operation['responses'] = {
    200: { ...success, description: 'Success.', headers: successHeaders(route) },
    ...errorResponses(codes),
  }
  operation['x-error-codes'] = codes
}

/** Adds the recorded response after the schemas are rewritten: its members may have names that are keywords of a schema. */
function completeSuccess(
  operation: JsonRecord,
  { config }: RouteOptions,
  schemas: JsonRecord,
  answers: JsonRecord,
): void {
  const { operationId, responses } = operation
  const success = isRecord(responses) ? responses['200'] : undefined
  if (!isRecord(success)) return
  nameEnvelope(success, schemas)
  const content = isRecord(success['content']) ? success['content'] : {}
  const example = answers[String(operationId)]
  if (isRecord(content['application/json']) && example !== undefined) content['application/json']['example'] = example
  if (config?.csv) content['text/csv'] = csvContent(config.csv, example)
}

/** The same page as CSV. The example is the recorded JSON response, converted. */
function csvContent(columns: CsvColumns<never>, answer: unknown): JsonRecord {
  const rows: never[] = isRecord(answer) && Array.isArray(answer['data']) ? (answer['data'] as never[]) : []
  const description = `With \`Accept: text/csv\`: the same page, a line for each item under a line of names (RFC 4180). Columns are only added, at the end. Text that begins like a formula has an apostrophe before it.`
  return { schema: { type: 'string', description }, example: csvOf(columns, rows) }
}

/** Parameters with a default are optional for the caller. An object is sent as `name[key]=value`. */
function completeParameters(parameters: unknown): void {
  for (const parameter of Array.isArray(parameters) ? parameters : []) {
    if (!isRecord(parameter) || !isRecord(parameter['schema'])) continue
    if ('default' in parameter['schema']) parameter['required'] = false
    if (parameter['schema']['type'] === 'object') Object.assign(parameter, { style: 'deepObject', explode: true })
  }
}

/** The part `data` of a multipart body contains the JSON; every other part is a file. */
function requestBody(schema: unknown, isMultipart: boolean): JsonRecord {
  const form = {
    type: 'object',
    properties: { data: schema },
    required: ['data'],
    additionalProperties: { type: 'string', format: 'binary' },
  }
  const encoding = { data: { contentType: 'application/json' } }
  const multipart = isMultipart && { 'multipart/form-data': { schema: form, encoding } }
  return { required: true, content: { 'application/json': { schema }, ...multipart } }
}

function securityOf({ config }: RouteOptions): JsonRecord[] {
  switch (config?.auth) {
    case 'business':
      return [{ businessKey: config.scope ? [config.scope] : [] }]
    case 'operator':
      return [{ operatorSecret: [] }]
  }
  return []
}

function successHeaders({ config, schema }: RouteOptions): JsonRecord {
  const refs = ['RequestId', ...(config?.auth === 'business' ? ['RateLimitPolicy', 'RateLimit'] : [])]
  const query = schema?.querystring
  if (isRecord(query) && isRecord(query['properties']) && 'cursor' in query['properties']) refs.push('Link')
  return Object.fromEntries(refs.map((ref) => [headerNames[ref], { $ref: `#/components/headers/${ref}` }]))
}

function usedTags(routes: readonly RouteOptions[]): JsonRecord[] {
  const used = new Set(routes.flatMap((route) => route.schema?.tags ?? []))
  const unknown = [...used].filter((tag) => !Object.hasOwn(tags, tag))
  if (unknown.length > 0) throw new Error(`these tags have no description: ${unknown.join(', ')}`)
  return Object.entries(tags).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []))
}

function nameOf(route: RouteOptions): string {
  return `${String(route.method)} ${route.url}`
}

const headerNames: Readonly<Record<string, string>> = {
  RequestId: 'X-Request-Id',
  RateLimitPolicy: 'RateLimit-Policy',
  RateLimit: 'RateLimit',
  Link: 'Link',
}

const textHeader = (description: string) => ({ description, schema: { type: 'string' } })

const headers = {
  RequestId: textHeader('The ID of this request: your `X-Request-Id`, or one that Causeway generated.'),
  RateLimitPolicy: textHeader('The limit of this key: `"default";q=<requests>;w=<seconds>`.'),
  RateLimit: textHeader('The remaining quota: `"default";r=<requests>;t=<seconds until the window ends>`.'),
  Link: textHeader('`<URL>; rel="next"` if there are more items.'),
  RetryAfter: textHeader('Seconds to wait before the next attempt.'),
  WwwAuthenticate: textHeader('The authentication scheme.'),
}

const headerParameter = (name: string, required: boolean, description: string, schema: JsonRecord = {}) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...schema },
})

const parameters = {
  IdempotencyKey: headerParameter(
    'Idempotency-Key',
    false,
    'Makes a retry safe: for 72 hours, the same key and body return the first response.',
    { minLength: 1, maxLength: 255 },
  ),
  WebhookId: headerParameter('webhook-id', true, 'The same for every attempt of a delivery.'),
  WebhookTimestamp: headerParameter(
    'webhook-timestamp',
    true,
    'Seconds since 1970. Reject messages older than 5 minutes.',
  ),
  WebhookSignature: headerParameter(
    'webhook-signature',
    true,
    'One or more signatures, separated by spaces: `v1,<base64>`.',
  ),
  SvcEventType: headerParameter('svc-event-type', true, 'The `event_type` of the body.'),
  SvcExternalUserId: headerParameter(
    'svc-external-user-id',
    false,
    'Your end-user, percent-encoded where a header requires it; absent if there is none.',
  ),
  SvcSequence: headerParameter(
    'svc-sequence',
    true,
    '1, 2, 3, … per endpoint, without gaps: if a number stays missing, look up the event.',
    { pattern: '^[1-9][0-9]*$' },
  ),
  SvcAttempt: headerParameter('svc-attempt', true, '1 for the first attempt of a delivery.', {
    pattern: '^[1-9][0-9]*$',
  }),
  SvcVerified: headerParameter(
    'svc-verified',
    true,
    '`false` for a provider event that arrived without a signature; events of Causeway are always `true`.',
    { enum: ['true', 'false'] },
  ),
}
