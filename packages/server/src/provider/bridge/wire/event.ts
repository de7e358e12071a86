// An event from the provider: its possible owners, and its object. Also reads names that events of similar providers
// use.

import type { JsonObject } from '../../../platform/values/json.ts'
import { member, text, unique, WireError } from '../../http/fields.ts'
import type { EventReading, OwnerHints, ProviderActivity } from '../../port.ts'
import { readActivity } from './activity.ts'
import { informationRequestCategory, readInformationRequest } from './information-request.ts'

/** Reads the parts of an event that Causeway uses. Never fails: an event without any known member is still an event. */
export function readEvent(body: JsonObject): EventReading {
  const object = member(body, 'event_object')
  const category = categoryOf(body)
  const activity = category === 'virtual_account.activity' ? activityOf(body, object) : null
  return {
    about: activity?.isAccountStep ? 'account' : (kinds.get(category) ?? 'other'),
    isAboutPeople: category === 'customer' || category === 'kyc_link',
    hints: readHints(body, object),
    named: readNamed(body, object, category),
    customerId: text(object, 'customer_id') ?? (category === 'customer' ? text(object, 'id') : null),
    activity,
    informationRequest: category === informationRequestCategory ? informationRequestOf(body, object) : null,
  }
}

const kinds: ReadonlyMap<string, EventReading['about']> = new Map([
  ['customer', 'customer'],
  ['kyc_link', 'hosted_kyc'],
  ['virtual_account', 'account'],
  ['virtual_account.activity', 'deposit'],
  [informationRequestCategory, 'information_request'],
])

/** `event_category`, or the type without its mutation; some samples have only a mutation as type. */
export function categoryOf(body: JsonObject): string {
  const named = text(body, 'event_category')
  // The provider documents no mutations of these, so any counts. Such an event must not be taken for one of another
  // category.
  if ([named, text(body, 'event_type')].some((name) => name !== null && isOfInformationRequest(name)))
    return informationRequestCategory
  if (named !== null) return named
  return (text(body, 'event_type') ?? '').replace(
    /\.(created|updated|updated\.status_transitioned|deleted|canceled)$/,
    '',
  )
}

function isOfInformationRequest(name: string): boolean {
  const [first = ''] = name.trim().toLowerCase().split('.')
  return first === informationRequestCategory
}

const refNames = ['customer_id', 'virtual_account_id', 'on_behalf_of', 'id', 'kyc_link_id'] as const
const refCharsMax = 128

/** Reads the IDs at the places that providers use. */
function readHints(body: JsonObject, object: JsonObject): OwnerHints {
  const data = member(body, 'data')
  const named = [object, data, body].flatMap((place) =>
    refNames.map((name) => (place === body && name === 'id' ? null : text(place, name))),
  )
  const refs = [...named, text(body, 'event_object_id'), text(object, 'client_reference_id')]
  const externalUserIds = [body, data, object].map((place) => text(place, 'external_user_id'))
  return { refs: unique(refs.filter(isId)), externalUserId: externalUserIds.find(isId) ?? null }
}

/** Reads the IDs at the same places. The category defines the type of `event_object`. */
function readNamed(body: JsonObject, object: JsonObject, category: string): EventReading['named'] {
  const places = [object, member(body, 'data'), body]
  const itself = [text(object, 'id'), text(body, 'event_object_id')]
  const idsOf = (ownCategory: string, ...names: string[]): string[] => {
    const ids = places.flatMap((place) => names.map((name) => text(place, name)))
    return unique([...ids, ...(category === ownCategory ? itself : [])].filter(isId))
  }
  return {
    customers: idsOf('customer', 'customer_id', 'on_behalf_of'),
    hostedPages: idsOf('kyc_link', 'kyc_link_id'),
    accounts: idsOf('virtual_account', 'virtual_account_id'),
    activities: idsOf('virtual_account.activity', 'deposit_id', 'activity_id'),
  }
}

/** No ID of Causeway or the provider is longer. No column can hold U+0000. */
function isId(value: string | null): value is string {
  return value !== null && value.length <= refCharsMax && !value.includes('\0')
}

/** The request in the event; only its ID if the event has no object. */
function informationRequestOf(body: JsonObject, object: JsonObject) {
  const id = text(object, 'id') ?? text(body, 'event_object_id')
  return isId(id) ? readInformationRequest({ ...object, id }) : null
}

function activityOf(body: JsonObject, object: JsonObject): ProviderActivity | null {
  try {
    return readActivity(object, text(body, 'event_created_at'))
  } catch (error) {
    if (error instanceof WireError) return null // an activity without an ID: forwarded, but not applied
    throw error
  }
}
