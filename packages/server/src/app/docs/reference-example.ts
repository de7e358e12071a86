// Examples of the reference page: a request as curl, made from what the schemas give as examples.

import { type IdKind, idPrefixes } from '../../platform/values/ids.ts'
import {
  type ApiDocument,
  type Operation,
  type Parameter,
  resolved,
  type Schema,
  typesOf,
} from './reference-document.ts'

/** A request that works once the variables are set, in lines of a shell. Optional fields are left out unless they show much. */
export function curlOf(document: ApiDocument, method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolved(parameter, document.components.parameters),
  )
  const filled = path.replace(/(?<=\/([\w-]+)\/)\{(\w+)\}/g, (_match, noun: string, name: string) => {
    const kind = idKinds[noun]
    if (kind !== undefined) return idOf(idPrefixes[kind])
    return encodeURIComponent(String(exampleOfParameter(parameters.find((one) => one.name === name))))
  })
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map((one) => `${one.name}=${encodeURIComponent(String(exampleOfParameter(one)))}`)
  const credential = credentials[Object.keys(operation.security[0] ?? {})[0] ?? '']
  const body = operation.requestBody?.content['application/json']?.schema
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$CAUSEWAY_URL${filled}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${bodyText(document, body, operation)}'`]),
  ]
  return lines.join(' \\\n  ')
}

const credentials: Readonly<Record<string, string>> = { businessKey: 'API_KEY', operatorSecret: 'ADMIN_SECRET' }

function bodyText(document: ApiDocument, schema: Schema, operation: Operation): string {
  const given = wholeBodies[operation.operationId ?? '']
  return JSON.stringify(given ?? exampleOf(document, schema, ''), null, 2)
    .replaceAll("'", "'\\''")
    .replaceAll('\n', '\n  ')
}

/** What stands in a path after such a noun. */
const idKinds: Readonly<Record<string, IdKind>> = {
  'api-keys': 'apiKey',
  customers: 'business',
  deliveries: 'delivery',
  deposits: 'deposit',
  events: 'event',
  replays: 'replay',
  'virtual-accounts': 'virtualAccount',
  'webhook-endpoints': 'webhookEndpoint',
}

/** Where nothing is required for the form, the schema cannot tell what is worth sending. */
const wholeBodies: Readonly<Record<string, unknown>> = {
  submitKyc: {
    type: 'individual',
    first_name: 'Grace',
    last_name: 'Hopper',
    email: 'grace@example.com',
    birth_date: '1986-12-09',
    residential_address: {
      street_line_1: '1 Compiler Road',
      city: 'Arlington',
      subdivision: 'VA',
      postal_code: '22201',
      country: 'USA',
    },
    identifying_information: [{ type: 'ssn', issuing_country: 'usa', number: '123-45-6789' }],
    signed_agreement_id: '0e7c1a5e-6f0f-4b2e-9c55-3d0e8f6b1a2c',
  },
  moveSandboxClock: { advanceSeconds: 3_600 },
  startReplay: { from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
  updateVirtualAccount: { developer_fee_percent: '0.75' },
}

function exampleOfParameter(parameter: Parameter | undefined): unknown {
  if (!parameter) return ''
  return parameter.example ?? exampleOf(null, parameter.schema, parameter.name)
}

/** A value that fits: the schema's own example, its default, its first word; else one that its name suggests. */
export function exampleOf(document: ApiDocument | null, schema: Schema, name: string): unknown {
  const whole = document === null ? schema : resolved(schema, document.components.schemas)
  const given = whole.examples?.[0] ?? whole.default ?? whole.enum?.[0]
  if (given !== undefined) return given
  const [option] = whole.anyOf ?? []
  if (option) return exampleOf(document, option, name)
  const [type] = typesOf(whole)
  if (whole.properties !== undefined) return objectExample(document, whole)
  if (whole.items !== undefined) return [exampleOf(document, whole.items, name)]
  if (type === 'integer' || type === 'number') return whole.minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'object') return {}
  return words[name] ?? idLike(whole.pattern) ?? (whole.format === 'date-time' ? '2026-01-31T12:00:00.000Z' : name)
}

function objectExample(document: ApiDocument | null, schema: Schema): object {
  const members = Object.entries(schema.properties ?? {})
  const required = members.filter(([name]) => schema.required?.includes(name))
  // A change names at least one field; else what is required is enough.
  const shown = required.length === 0 && (schema.minProperties ?? 0) > 0 ? members.slice(0, 1) : required
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(document, member, name)]))
}

/** `^va_[0-9a-z]{26}$` → an identifier of that shape. */
function idLike(pattern: string | undefined): string | undefined {
  const [, prefix] = /^\^([a-z]+)_\[0-9a-z\]\{26\}\$$/.exec(pattern ?? '') ?? []
  return prefix === undefined ? undefined : idOf(prefix)
}

const idOf = (prefix: string): string => `${prefix}_06bd3rk0a3m8qv5t7x1n2p4r6s`

const words: Readonly<Record<string, string>> = {
  address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
  amount: '100.00',
  country: 'USA',
  email: 'grace@example.com',
  event_id: 'wh_0e7c1a5e',
  event_type: 'virtual_account.activity',
  name: 'Acme',
  payment_rail: 'solana',
  virtualAccountId: 'va_06bd3rk0a3m8qv5t7x1n2p4r6s',
  redirectUri: 'https://example.com/done',
  webhookUrl: 'https://example.com/webhooks/causeway',
}
