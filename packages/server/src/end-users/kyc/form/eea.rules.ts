// Whether the addresses of a submission are in the European Economic Area (EEA): all that is kept of them.

import { isInEea } from '../../../platform/values/country-codes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { codeOf } from './country.rules.ts'

/** Presence in the EEA by the submissions of an end-user; null while no submission has named the address. */
export type EeaPresence = {
  /** The residence of a person, or the registration of a company. */
  residesInEea: boolean | null
  /** Where a company operates. */
  operatesInEea: boolean | null
}

/** @returns what this submission says: a company is submitted in parts, so an address that is not named changes nothing */
export function eeaPresenceOf(body: JsonObject): Partial<EeaPresence> {
  const isCompany = body['type'] === 'business'
  const resides = isInEeaAt(body[isCompany ? 'registered_address' : 'residential_address'])
  const operates = isCompany ? isInEeaAt(body['physical_address']) : null
  return {
    ...(resides !== null && { residesInEea: resides }),
    ...(operates !== null && { operatesInEea: operates }),
  }
}

/** @returns what the stored request of a submission says, which `eeaPresenceOf` read from its body */
export function presenceIn(request: JsonObject | null): Partial<EeaPresence> {
  return (request?.['presence'] ?? {}) as Partial<EeaPresence>
}

function isInEeaAt(address: Json | undefined): boolean | null {
  const country = isJsonObject(address) ? codeOf(address['country']) : undefined
  return country === undefined ? null : isInEea(country)
}
