// The provider's own document as a judge: every answer is held against it. Where the document is known to be older or
// wrong it is corrected here, one by one and with the reason; WIRE.md lists the same corrections.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { lacking, wireReferencePath } from '../../../scripts/test-needs.ts'

/** False when the document is there, otherwise the reason to skip. */
export const withoutReference = lacking('reference')

type Schema = { [name: string]: unknown }
type Operation = { responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }> }
type Reference = {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, { content: Record<string, { schema: Schema }> }>
  }
}

/** Values that the provider added to an enumeration after the document was made. */
const laterValues: Record<string, string[]> = {
  CustomerStatus: ['deposits_restricted'],
  KycStatus: ['deposits_restricted'],
  EndorsementType: ['cop', 'faster_payments', 'pix', 'pix_onramp', 'pix_offramp'],
  EuroInclusiveFiatCurrency: ['brl', 'gbp', 'cop'],
  VirtualAccountSourcePaymentRails: ['fednow', 'faster_payments', 'bre_b'],
  WebhookEventCategory: ['bridge_wallet.activity', 'external_account', 'rfi'],
  'VirtualAccountEvent.properties.type': ['refund_in_flight', 'refund_failed'],
}

/** Places where the document contradicts the provider's own examples or behaviour. */
const corrections: Record<string, { put: unknown; because: string }> = {
  'Customer.properties.last_name.type': { put: ['string', 'null'], because: 'a business has none' },
  'Endorsement.properties.requirements.properties.missing.type': {
    put: ['object', 'null'],
    because: 'null when nothing is missing',
  },
  'Endorsement.properties.requirements.properties.complete.items': {
    put: { type: ['string', 'object'] },
    because: 'businesses have one item for each associated person',
  },
  'IndividualKycLinkResponse.properties.customer_id.type': {
    put: ['string', 'null'],
    because: 'null until terms and verification are done',
  },
  'WebhookEvent.properties.event_object_status.type': { put: ['string', 'null'], because: 'as in the examples' },
  'WebhookEvent.properties.event_object_status.enum': {
    put: undefined,
    because: 'an enumeration without null forbids the null of the examples; the values are tested by themselves',
  },
  'WebhookEvent.properties.event_type.enum': {
    put: undefined,
    because: 'the document lists the bare mutation, its examples and the provider send category.mutation',
  },
  'VirtualAccountEvent.properties.currency': {
    put: { type: 'string' },
    because: 'deposits in eur, mxn and others exist',
  },
  'Error.properties.source.properties.key.type': { put: 'object', because: 'a map of field to message in practice' },
}

export type Judge = {
  operations: { method: string; path: string; statuses: string[] }[]
  /** Throws with the complaints when the body is not what the document says for this operation and status. */
  judge(method: string, path: string, status: number, body: unknown): void
  /** Properties that the document describes for a schema. */
  propertiesOf(schema: string): string[]
}

export const readReference = (): Judge => {
  const reference = JSON.parse(readFileSync(wireReferencePath ?? '', 'utf8')) as Reference
  const { schemas, responses } = reference.components
  for (const [place, values] of Object.entries(laterValues)) {
    const target = at(schemas, place)
    const known = target['enum'] as string[]
    for (const value of values) assert.ok(!known.includes(value), `${value} is in ${place} by now: drop the correction`)
    known.push(...values)
  }
  for (const [place, { put }] of Object.entries(corrections)) {
    const name = place.split('.').at(-1) ?? ''
    const parent = at(schemas, place.slice(0, -name.length - 1))
    assert.ok(name in parent, `${place} is not in the document: drop the correction`)
    if (put === undefined) delete parent[name]
    else parent[name] = put
  }
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  // What the document means by it: a decimal in a string.
  ajv.addFormat('number', /^\d+(\.\d+)?$/)
  ajv.addSchema({ $id: 'wire', components: plain(reference.components) as Schema })
  const compiled = new Map<string, ValidateFunction>()

  const schemaFor = (operation: Operation, status: string): Schema => {
    const response = operation.responses[status]
    const named = response?.$ref?.split('/').at(-1)
    const content = named === undefined ? response?.content : responses[named]?.content
    const schema = content?.['application/json']?.schema
    assert.ok(schema, `the document describes no body for ${status}`)
    return plain(schema) as Schema
  }
  const operations = Object.entries(reference.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'put', 'delete'].includes(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        statuses: Object.keys(operation.responses),
      })),
  )
  return {
    operations,
    judge: (method, path, status, body) => {
      const operation = reference.paths[path]?.[method.toLowerCase()]
      assert.ok(operation, `${method} ${path} is not in the document`)
      const id = `${method} ${path} ${status}`
      const validate = compiled.get(id) ?? ajv.compile(schemaFor(operation, String(status)))
      compiled.set(id, validate)
      const complaints = validate(body) ? '' : ajv.errorsText(validate.errors)
      assert.equal(complaints, '', `${id}: ${JSON.stringify(body)}`)
    },
    propertiesOf: (schema) => Object.keys((schemas[schema]?.['properties'] as Schema) ?? {}),
  }
}

const at = (schemas: Record<string, Schema>, place: string): Schema =>
  place.split('.').reduce<Schema>((node, name) => node[name] as Schema, schemas)

/** OpenAPI 3.0 to JSON Schema: references lead into our one schema, and bounds of draft 4 are left to the tests. */
const plain = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(plain)
  if (typeof node !== 'object' || node === null) return node
  const { exclusiveMaximum: _max, exclusiveMinimum: _min, example: _example, nullable, ...rest } = node as Schema
  assert.equal(nullable, undefined, 'the document uses nullable by now: translate it')
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      name === '$ref' ? String(value).replace(/^#/, 'wire#') : plain(value),
    ]),
  )
}
