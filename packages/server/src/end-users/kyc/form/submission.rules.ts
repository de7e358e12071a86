// The submit-kyc body: its form, in full, and what the provider is likely to ask for beyond it. Whether the data
// suffices is the provider's verdict; here every problem of form is found at once and none is shown with its value.

import { isJsonObject, type JsonObject } from '../../../platform/values/json.ts'
import { businessFields } from './business.rules.ts'
import { codeOf, type KycType, kycTypes, needsOf } from './country.rules.ts'
import { oneOf, type Problem, type Reading, readFields, report } from './form.rules.ts'
import { individualFields } from './person.rules.ts'

export type KycSubmission = { ok: true; body: JsonObject; type: KycType } | { ok: false; problems: Problem[] }

/**
 * Checks form alone. The body that comes back has its `type`, country and subdivision codes in upper case, and all
 * properties we do not know as they were sent; but not one that is a known one in camel case.
 * @param options.defaultType what a body without `type` is about; `individual` when not given
 */
export function checkKycSubmission(body: unknown, options: { nowMs: number; defaultType?: KycType }): KycSubmission {
  if (!isJsonObject(body)) {
    return { ok: false, problems: [{ param: '', code: 'invalid_type', message: 'The body must be an object.' }] }
  }
  const reading: Reading = { nowMs: options.nowMs, problems: [] }
  const given = body['type']
  const type = kycTypes.find((known) => known === given) ?? options.defaultType ?? 'individual'
  if (given !== undefined) oneOf(kycTypes)(given, 'type', reading)
  const fields = type === 'business' ? businessFields : individualFields
  refuseCamelCase(body, fields, reading)
  const read = readFields(body, '', fields, [], undefined, reading)
  read['type'] = type
  return reading.problems.length === 0 ? { ok: true, body: read, type } : { ok: false, problems: reading.problems }
}

/** No name that we know is as long. */
const knownCharsMax = 64

/** What we do not know passes through, but this would be lost on the provider without a word. */
function refuseCamelCase(body: JsonObject, fields: Readonly<Record<string, unknown>>, reading: Reading): void {
  for (const name of Object.keys(body)) {
    if (name.length > knownCharsMax || !/[A-Z]/.test(name)) continue
    const meant = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (!Object.hasOwn(fields, meant)) continue
    report(reading, name, 'unknown_field', `is not known here (did you mean \`${meant}\`?)`)
  }
}

/**
 * What the provider will probably list as missing, in its own requirement names; an agreement to the terms apart.
 * @param body one that `checkKycSubmission` let pass
 */
export function missingForApproval(body: JsonObject): string[] {
  const type = body['type'] === 'business' ? 'business' : 'individual'
  const address = body[type === 'business' ? 'registered_address' : 'residential_address']
  const country = isJsonObject(address) ? codeOf(address['country']) : undefined
  const unmet = needsOf(type, country).filter((need) => !need.isMet(body))
  return [...new Set(unmet.map(({ requirement }) => requirement))]
}
