// The caller's error for a provider's refusal, without submitted values.

import { type ApiError, type ErrorCode, type ErrorDetail, fail } from '../../platform/errors.ts'
import type { Json } from '../../platform/values/json.ts'
import type { ProviderError, Refusal } from '../port.ts'

/**
 * A refusal for reasons that only the provider knows, as details on our fields; if it names none, as its code and text.
 * Texts are passed on only if they repeat no submitted value.
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

const operator = 'Contact the operator of this service'
const resolutions: Readonly<Partial<Record<Refusal, string>>> = {
  not_enabled: `The provider has not enabled this feature for the integration. ${operator} to have it enabled.`,
  frozen: `The provider has frozen the end-user or the integration, and only the provider can end that. ${operator}.`,
  already_there: 'The provider already has this object. Read the end-user before you retry.',
  limit_reached: `The integration has reached a limit at the provider. ${operator} to raise it.`,
  not_served: `The provider does not serve this customer. Do not retry the request. ${operator}.`,
}

const unexplainedText = 'The provider rejected the whole request, and its message cannot be shown.'
const refusedText = 'The provider did not accept this field.'
const messageCharsMax = 200

/** Traces of a submitted value: its text without punctuation, and its words. */
type Traces = { wholes: ReadonlySet<string>; words: ReadonlySet<string> }

function tracesOf(sent: Json): Traces {
  const values = textsOf(sent)
  return {
    wholes: new Set(values.map(plain).filter((value) => value.length >= 3)),
    words: new Set(values.flatMap(wordsOf).filter((word) => word.length >= 4)),
  }
}

/** Returns whether a message repeats a value in any spelling ("123-45-6789", "123 456789"), or one of its words. */
function repeats(message: string, { wholes, words }: Traces): boolean {
  const text = plain(message)
  return wordsOf(message).some((word) => words.has(word)) || [...wholes].some((value) => text.includes(value))
}

function isFieldName(param: string, { wholes }: Traces): boolean {
  return /^[\w.[\]-]{1,128}$/.test(param) && !param.split(/[.[\]]+/).some((part) => wholes.has(plain(part)))
}

/** Lists every text and number within; texts too long for any message are omitted. */
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
