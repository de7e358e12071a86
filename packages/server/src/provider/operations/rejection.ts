// What the caller sees of a provider's refusal, scrubbed of what was sent.

import { type ApiError, type ErrorCode, type ErrorDetail, fail } from '../../platform/errors.ts'
import type { Json } from '../../platform/values/json.ts'
import type { ProviderError, Refusal } from '../port.ts'

/**
 * A refusal for reasons that only the provider knows, as details on our fields; where it names none, as its code and text.
 * Its texts pass only when they repeat nothing of what was sent.
 * @param facts fill the remedy of `code`
 */
export function providerRejection(
  error: ProviderError,
  sent: Json,
  code: ErrorCode = 'provider_rejected',
  facts: Record<string, string> = {},
): ApiError {
  const traces = tracesOf(sent)
  const scrubbed = (text: string, otherwise: string): string =>
    text === '' || text.length > messageCharsMax || repeats(text, traces) ? otherwise : text
  const named: ErrorDetail[] = Object.entries(error.fields)
    .slice(0, 50)
    .map(([param, message]) => ({
      param: isFieldName(param, traces) ? param.replace(/\.(\d+)(?=\.|$)/g, '[$1]') : '',
      code: error.code ?? 'rejected',
      message: scrubbed(message, refusedText),
    }))
  const whole = { param: '', code: error.code ?? 'rejected', message: scrubbed(error.reason ?? '', unexplainedText) }
  const resolution = code === 'provider_rejected' && error.refusal !== null ? resolutions[error.refusal] : undefined
  return fail(code, {
    cause: error,
    details: named.length > 0 ? named : [whole],
    ...(resolution === undefined ? {} : { resolution }),
    facts: { ...facts, ...(error.code ? { providerCode: error.code } : {}) },
  })
}

const operator = 'Ask the operator of this service'
const resolutions: Readonly<Partial<Record<Refusal, string>>> = {
  not_enabled: `The provider has not enabled this for the integration. ${operator} to have it enabled there.`,
  frozen: `The provider has frozen the end-user or the integration, and only it can lift that. ${operator}.`,
  already_there: 'The provider has this already. Read the end-user before you send it again.',
  limit_reached: `A limit of the integration at the provider is reached. ${operator} to have it raised.`,
  not_served: `The provider does not serve this customer. Do not repeat the request. ${operator}.`,
}

const unexplainedText = 'The provider refused the request as a whole, and its words cannot be shown.'
const refusedText = 'The provider did not accept this field.'
const messageCharsMax = 200

/** By what a value is known again: whole and without its punctuation, and by its words. */
type Traces = { wholes: ReadonlySet<string>; words: ReadonlySet<string> }

function tracesOf(sent: Json): Traces {
  const values = textsOf(sent)
  return {
    wholes: new Set(values.map(plain).filter((value) => value.length >= 3)),
    words: new Set(values.flatMap(wordsOf).filter((word) => word.length >= 4)),
  }
}

/** Whether a message repeats a value in whatever spelling ("123-45-6789", "123 456789"), or a word of one. */
function repeats(message: string, { wholes, words }: Traces): boolean {
  const text = plain(message)
  return wordsOf(message).some((word) => words.has(word)) || [...wholes].some((value) => text.includes(value))
}

function isFieldName(param: string, { wholes }: Traces): boolean {
  return /^[\w.[\]-]{1,128}$/.test(param) && !param.split(/[.[\]]+/).some((part) => wholes.has(plain(part)))
}

/** Every text and number within; texts too long for any message are left out. */
function textsOf(value: Json): string[] {
  if (typeof value === 'string') return value.length > 2 * messageCharsMax ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return value === null || typeof value === 'boolean' ? [] : Object.values(value).flatMap(textsOf)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function plain(text: string): string {
  return wordsOf(text).join('')
}
