// Writes /docs/reference/events: Causeway's events with their fields and an example each, from the table behind the OpenAPI
// document, and the provider's events. Examples and fields are folded, so that the page is a table of contents.

import { businessEventTypes } from '../packages/server/src/events/catalogue.rules.ts'
import { businessEventExample, businessEvents } from './business-events.ts'
import { isRecord, type JsonRecord } from './openapi-schemas.ts'
import { listOf, pageHead, recordOf, table } from './reference-pages.ts'

/** @param document the OpenAPI document */
export function eventsPage(document: JsonRecord): string {
  const schemas = recordOf(recordOf(document['components'])['schemas'])
  const objects = [...new Set(businessEventTypes.map((type) => titleOf(businessEvents[type].data)))]
  return `${pageHead('Events', 'Every webhook event type: when it is sent, its fields, and an example payload.')}

There are two kinds of events: [Causeway's own](#causeway-events), in one envelope, and [the provider's](#the-providers-events),
forwarded unchanged. An endpoint gets both unless its \`eventTypes\` or \`sources\` filter them. New types and fields can be added at any
time: ignore those that you do not know. \`/v0/openapi.json\` has the same schemas under \`webhooks\`. To get events, [receive webhooks](../webhooks/receive.mdx).

## Causeway events

Every event has the same envelope:

${table(
  ['Field', 'Type', 'Meaning'],
  [
    ['`event_id`', 'string', 'the ID of the event, the same for every endpoint and attempt'],
    ['`event_type`', 'string', 'one of the types below'],
    ['`created_at`', 'string (date-time)', 'when Causeway stored the change'],
    ['`api_version`', 'string: `v0`', 'within a version, `data` can gain fields, but existing fields do not change'],
    [
      '`test`',
      '`true`',
      'only in a [test event](../webhooks/endpoints.md#add-endpoints), in which `data` is an example',
    ],
    ['`data`', 'object', 'the whole object at that time, as the API returns it'],
  ],
)}

${table(
  ['`event_type`', 'Sent when', '`data`'],
  businessEventTypes.map((type) => [
    `[\`${type}\`](#${anchorOf(type)})`,
    businessEvents[type].when,
    linkTo(businessEvents[type].data),
  ]),
)}

${businessEventTypes.map(section).join('\n\n')}

### event.resent

Only the [event stream](../webhooks/poll.mdx) has \`event.resent\`, which reports that an event is sent again. No endpoint receives it.
\`data\` is \`{eventId, eventType, webhookEndpointId}\`.

## Objects

For the meaning of each status, see [KYC](../onboard/statuses.mdx), [accounts](../accounts/open.mdx#read-the-account) and [deposits](../deposits/track.mdx#read-the-deposit).

${objects.map((name) => objectSection(name, schemas)).join('\n\n')}

${providerSection}
`
}

function section(type: (typeof businessEventTypes)[number]): string {
  const { when, data } = businessEvents[type]
  const example = JSON.stringify(businessEventExample(type), null, 2)
  const block = `\`\`\`json\n${example}\n\`\`\``
  return `### ${type}\n\nSent when ${when}. \`data\`: ${linkTo(data)}.\n\n${folded('Example', block)}`
}

/** A part of the page that a reader opens. A link to the heading above it opens it, too. */
const folded = (summary: string, content: string): string =>
  `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`

function linkTo(data: object): string {
  const title = titleOf(data)
  return `[${title}](#${title.toLowerCase()})`
}

const titleOf = (data: object): string => String(recordOf(data)['title'])

/** As the repository's host makes them. */
function anchorOf(heading: string): string {
  return heading.replaceAll('.', '')
}

function objectSection(name: string, schemas: JsonRecord): string {
  const schema = recordOf(schemas[name])
  const about = typeof schema['description'] === 'string' ? `${schema['description']}\n\n` : ''
  const fields = table(['Field', 'Type', 'Meaning'], rowsOf(schema, '', schemas))
  return `### ${name}\n\n${about}${folded('Fields', fields)}`
}

/** One row a field, those of objects inside it dotted below it. */
function rowsOf(schema: JsonRecord, prefix: string, schemas: JsonRecord): string[][] {
  const required = new Set(listOf(schema['required']))
  return Object.entries(recordOf(schema['properties'])).flatMap(([name, property]) => {
    const field = resolved(recordOf(property), schemas)
    const isList = field['type'] === 'array'
    const inner = isList ? resolved(recordOf(field['items']), schemas) : field
    const at = `${prefix}${name}`
    const meaning = [...(required.has(name) ? [] : ['may be absent']), ...textOf(field['description'])].join('. ')
    const own = [`\`${at}\``, typeOf(field, inner), meaning]
    return [own, ...rowsOf(inner, `${at}${isList ? '[]' : ''}.`, schemas)]
  })
}

/** Puts the component in the place of a reference, and of a choice between a reference and null. */
function resolved(schema: JsonRecord, schemas: JsonRecord): JsonRecord {
  const { anyOf, ...beside } = schema
  const [reference = schema] = listOf(anyOf).map(recordOf)
  const { $ref } = reference
  if (typeof $ref !== 'string') return schema
  const component = recordOf(schemas[$ref.split('/').at(-1) ?? ''])
  return { ...component, ...beside, ...(anyOf !== undefined && { type: [component['type'], 'null'] }) }
}

function typeOf(field: JsonRecord, inner: JsonRecord): string {
  if (field['type'] === 'array') return `list of ${typeOf(inner, inner)}s`
  const named = isRecord(field['additionalProperties']) ? 'object of strings' : undefined
  const [type, ...others] = [field['type']].flat().map(String)
  const words = listOf(field['enum']).filter((word) => word !== null)
  const format = field['format'] === 'date-time' ? ' (date-time)' : ''
  const allowed = words.length > 0 ? `: ${words.map((word) => `\`${String(word)}\``).join(', ')}` : ''
  return `${named ?? type}${format}${others.includes('null') ? ' or null' : ''}${allowed}`
}

const textOf = (value: unknown): string[] => (typeof value === 'string' ? [value.replace(/\.$/, '')] : [])

const providerSection = `## The provider's events

Causeway forwards every event that the provider sends about one of your end-users unchanged, with its own \`webhook-id\`,
\`svc-sequence\` and signature. New types are forwarded as well, if the endpoint's \`eventTypes\` allow them.

One exception: \`rfi\` events quote names and account numbers, and link to a page of the operator. Causeway removes \`context\`,
\`requested_items\`, \`dashboard_url\` and \`event_object_changes\` from these events.

The envelope is the provider's: \`event_id\` (use it to drop repeats), \`event_type\`, \`event_category\`, \`event_object\` (the whole
object), \`event_object_id\`, \`event_object_status\`, \`event_object_changes\`, \`event_created_at\`, \`event_sequence\`,
\`api_version\`. The type is the category, a dot, and the change: \`created\`, \`updated\`, \`updated.status_transitioned\`,
\`deleted\` or \`canceled\`.

${table(
  ['Category', 'About', 'Causeway event'],
  [
    [
      '`customer`',
      'the end-user at the provider: data, status, endorsements',
      '`end_user.kyc.updated`, `end_user.tos.accepted`',
    ],
    ['`kyc_link`', 'a hosted KYC page and its progress', '`end_user.kyc.updated`'],
    [
      '`virtual_account.activity`',
      'each step of a deposit and each change of an account, by `event_object.type`',
      '`virtual_account.deposit.updated`, `virtual_account.payment.received`, `virtual_account.updated`, `virtual_account.deactivated`, `virtual_account.reactivated`',
    ],
    ['`transfer`', 'transfers made at the provider itself', ''],
    ['`liquidation_address.drain`', 'crypto that arrived at a liquidation address and was paid out', ''],
    ['`static_memo.activity`', 'deposits to a static memo', ''],
    ['`bridge_wallet.activity`', 'wallets that the provider holds', ''],
    ['`external_account`', 'bank accounts of the end-user', ''],
    [
      '`card_account`, `card_transaction`, `card_withdrawal`, `posted_card_account_transaction`',
      'cards, their transactions and postings',
      '',
    ],
    ['`rfi`', 'information requests of the provider, reduced', '`information_request.updated`'],
  ],
)}

The categories are from September 2026; see
[the provider's documentation](https://apidocs.bridge.xyz/platform/additional-information/webhooks/structure) for the current list.

If the operator allows unsigned provider events, Causeway forwards them with \`svc-verified: false\`. Treat such an event only as a hint to read the object.`
