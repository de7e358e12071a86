// The endorsements that are asked for where nobody named any.

import type { DefaultEndorsement } from '../../platform/config.ts'
import { isJsonObject, type JsonObject } from '../../platform/values/json.ts'
import { codeOf } from './form/country.rules.ts'

/** @param country alpha-3; undefined while nobody knows it */
export function defaultEndorsementsOf(defaults: readonly DefaultEndorsement[], country: string | undefined): string[] {
  return defaults.filter((each) => each.country === null || each.country === country).map(({ name }) => name)
}

/** Where the person of a submission lives, or where a company is registered. */
export function residenceOf(submission: JsonObject): string | undefined {
  const address = submission[submission['type'] === 'business' ? 'registered_address' : 'residential_address']
  return isJsonObject(address) ? codeOf(address['country']) : undefined
}
