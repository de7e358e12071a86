// /docs/reference/events: our own events with their fields and an example each, from the table that the OpenAPI document is made
// from; and what of the provider's comes beside them.

import { businessEventTypes } from '../packages/server/src/events/catalogue.rules.ts'
import { businessEventExample, businessEvents } from './business-events.ts'
import { isRecord, type JsonRecord } from './openapi-schemas.ts'
import { listOf, pageHead, recordOf, table } from './reference-pages.ts'

/** @param document the OpenAPI document */
export function eventsPage(document: JsonRecord): string {
  const schemas = recordOf(recordOf(document['components'])['schemas'])
  const objects = [...new Set(businessEventTypes.map((type) => titleOf(businessEvents[type].data)))]
  return `${pageHead('Events', 'Every event type, its fields and an example.')}

How they are signed, retried and sent again is told in [receive webhooks](../webhooks/receive.mdx); the same schemas stand in \`/v0/openapi.json\`
under \`webhooks\`. There are two kinds: [our own](#our-own-events), in one envelope, and [the provider's](#the-providers-events),
forwarded as they came. An endpoint gets both unless its \`eventTypes\` say otherwise. New types and new fields can be added at any
time: ignore what you do not know.

## Our own events

Every one has the same envelope:

${table(
  ['Field', 'Type', 'Meaning'],
  [
    ['`event_id`', 'string', 'of this event, the same for every endpoint and attempt'],
    ['`event_type`', 'string', 'one of those below'],
    ['`created_at`', 'string (date-time)', 'when the change it tells of was stored'],
    ['`api_version`', 'string: `v0`', 'inside a version the shape of `data` only grows'],
    ['`test`', '`true`', 'only in a [test](../webhooks/endpoints.md#add-endpoints), where `data` is an example'],
    ['`data`', 'object', 'the object as it was right then, whole, as the API shows it'],
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

### In the stream alone

\`event.resent\` tells readers of the [stream](../webhooks/pull.mdx) that an event is sent again. No
endpoint gets it. \`data\` is \`{eventId, eventType, webhookEndpointId}\`.

## Objects

What the states mean, and which leads to which, stands in the pages about [KYC](../onboard/states.md), [accounts](../accounts/open.mdx#read-the-account) and [deposits](../deposits/follow.mdx#read-it).

${objects.map((name) => objectSection(name, schemas)).join('\n\n')}

${providerSection}
`
}

function section(type: (typeof businessEventTypes)[number]): string {
  const { when, data } = businessEvents[type]
  const example = JSON.stringify(businessEventExample(type), null, 2)
  return `### ${type}\n\nSent when ${when}. \`data\`: ${linkTo(data)}.\n\n\`\`\`json\n${example}\n\`\`\``
}

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
  return `### ${name}\n\n${about}${table(['Field', 'Type', 'Meaning'], rowsOf(schema, '', schemas))}`
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

Every event that the provider sends about an end-user of yours is forwarded byte for byte: envelope, field order and white space as
they came, under \`webhook-id\`, \`svc-sequence\` and a signature of ours. That holds for types that nobody has heard of yet, too;
nothing is filtered by its name. Only the endpoint's \`eventTypes\` decide.

There is one exception: an \`rfi\` event quotes names and account numbers, and links to a page of the operator. Causeway
stores and forwards these events with IDs, words and times alone: \`context\`, \`requested_items\`, \`dashboard_url\` and
\`event_object_changes\` are removed.

The envelope is the provider's: \`event_id\` (drop repeats by it), \`event_type\`, \`event_category\`, \`event_object\` (the whole
object), \`event_object_id\`, \`event_object_status\`, \`event_object_changes\`, \`event_created_at\`, \`event_sequence\`,
\`api_version\`. Its type is the category, a dot, and what happened to the object: \`created\`, \`updated\`,
\`updated.status_transitioned\`, \`deleted\` or \`canceled\`, as far as the category has it.

${table(
  ['Category', 'About', 'Told by our own as well'],
  [
    [
      '`customer`',
      'the end-user at the provider: data, status, endorsements',
      '`end_user.kyc.updated`, `end_user.tos.accepted`',
    ],
    ['`kyc_link`', 'a hosted KYC page and how far it got', '`end_user.kyc.updated`'],
    [
      '`virtual_account.activity`',
      'each step of a deposit, and each change of an account, told apart by `event_object.type`',
      '`virtual_account.deposit.updated`, `virtual_account.payment.received`, `virtual_account.updated`, `virtual_account.deactivated`, `virtual_account.reactivated`',
    ],
    ['`transfer`', 'transfers made at the provider itself', ''],
    ['`liquidation_address.drain`', 'crypto that arrived at a liquidation address and was paid out', ''],
    ['`static_memo.activity`', 'deposits to a static memo', ''],
    ['`bridge_wallet.activity`', 'wallets that the provider holds', ''],
    ['`external_account`', 'bank accounts of the end-user', ''],
    [
      '`card_account`, `card_transaction`, `card_withdrawal`, `posted_card_account_transaction`',
      'cards, what is paid with them, and what is booked',
      '',
    ],
    ['`rfi`', 'requests of the provider for further information, reduced', '`information_request.updated`'],
  ],
)}

The categories as of September 2026; the provider's own list is at
[its documentation](https://apidocs.bridge.xyz/platform/additional-information/webhooks/structure). A deposit is complete when
\`virtual_account.activity.created\` comes with \`event_object.type\` \`payment_processed\`; an approval is
\`customer.updated.status_transitioned\` with \`event_object.status\` \`active\`. With our own events you need not know this.

An event that came without the provider's signature is forwarded with \`svc-verified: false\`: treat it as a hint to read the object.`
