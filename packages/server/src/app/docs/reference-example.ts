// Examples of the reference page: a request as curl, made from what the schemas give as examples.

import { type ApiDocument, type Operation, parametersOf, resolved, type Schema, typesOf } from './reference-document.ts'

/** Renders a request in lines of a shell, which works once its variables are set. Optional fields are left out. */
export function curlOf(document: ApiDocument, method: string, path: string, operation: Operation): string {
  const parameters = parametersOf(document, operation)
  // `{externalUserId}` has an example; an id of ours is a variable of the shell.
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const parameter = parameters.find((one) => one.name === name)
    return encodeURIComponent(String(parameter?.example ?? parameter?.schema.examples?.[0] ?? '')) || `$${name}`
  })
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map((one) => `${one.name}=${encodeURIComponent(String(one.example ?? exampleOf(document, one.schema, one.name)))}`)
  const credential = credentials[Object.keys(operation.security[0] ?? {})[0] ?? '']
  const body = operation.requestBody?.content['application/json']?.schema
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$CAUSEWAY_URL${filled}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body ? ['-H "Content-Type: application/json"', `-d '${bodyText(document, body, operation)}'`] : []),
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

/** Bodies of operations whose schema requires too little to tell what is worth sending. */
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

/** Makes a value that fits: the schema's own example, its default, its first word; else one that its name suggests. */
function exampleOf(document: ApiDocument, given: Schema, name: string): unknown {
  const schema = resolved(given, document.components.schemas)
  const told = schema.examples?.[0] ?? schema.default ?? schema.enum?.[0]
  if (told !== undefined) return told
  if (schema.anyOf?.[0]) return exampleOf(document, schema.anyOf[0], name)
  if (schema.items) return [exampleOf(document, schema.items, name)]
  switch (typesOf(schema)[0]) {
    case 'object':
      return objectExample(document, schema)
    case 'integer':
      return schema.minimum ?? 1
    case 'boolean':
      return true
  }
  return words[name] ?? (schema.format === 'date-time' ? '2026-01-31T12:00:00.000Z' : name)
}

function objectExample(document: ApiDocument, schema: Schema): object {
  const members = Object.entries(schema.properties ?? {})
  const required = members.filter(([name]) => schema.required?.includes(name))
  // A change names at least one field; else what is required is enough.
  const shown = required.length === 0 && (schema.minProperties ?? 0) > 0 ? members.slice(0, 1) : required
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(document, member, name)]))
}

const words: Readonly<Record<string, string>> = {
  address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
  amount: '100.00',
  email: 'grace@example.com',
  event_id: 'wh_0e7c1a5e',
  event_type: 'virtual_account.activity',
  name: 'Acme',
  payment_rail: 'solana',
  virtualAccountId: 'va_06bd3rk0a3m8qv5t7x1n2p4r6s',
  redirectUri: 'https://example.com/done',
  webhookUrl: 'https://example.com/webhooks/causeway',
}
