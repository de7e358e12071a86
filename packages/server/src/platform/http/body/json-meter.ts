// Measures a JSON body while it is read, so that its cost is known before it is parsed. JSON.parse makes a value for each
// member: 22 MiB of `"k":1,` hold the process for 15 seconds, 22 MiB of one base64 text for 20 ms.

import { fail } from '../../errors.ts'
import { type BodyLimits, jsonDepthMax } from '../limits.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
const dataScheme = Buffer.from('data:')

/** Where a string does not begin with `data:`, or is no value; else it is the number of bytes that have spelled `data:`. */
const notData = -1
const inLowerCase = 0x20

/**
 * Creates a function that measures the chunks of one body, in order.
 * @throws ApiError `payload_too_large`, `json_too_deep`, `too_many_members`, as soon as a limit is passed
 */
export function jsonMeter(limits: BodyLimits): (chunk: Uint8Array) => void {
  let [bytes, dataBytes, members, depth] = [0, 0, 0, 0]
  let [inString, isEscaped, spelled, before] = [false, false, notData, 0]
  const measureSign = (byte: number): void => {
    if (isBlank(byte)) return
    // The first member follows the opening of its object or array, each further one a comma.
    if (byte === comma || (isOpening(before) && !isClosing(byte))) members++
    if (members > limits.membersMax) throw fail('too_many_members', { facts: { membersMax: limits.membersMax } })
    if (isOpening(byte) && ++depth > jsonDepthMax) throw fail('json_too_deep')
    if (isClosing(byte)) depth--
    if (byte === quote) {
      inString = true
      // Only the value of a member may be a document; a name may not be long.
      spelled = before === colon ? 0 : notData
    }
    before = byte
  }
  /** @returns where the string ends in this chunk, or the chunk's length */
  const skipString = (chunk: Uint8Array, from: number): number => {
    let at = from
    for (; at < chunk.length && spelled >= 0 && spelled < dataScheme.length; at++) {
      if (((chunk[at] ?? 0) | inLowerCase) !== dataScheme[spelled]) {
        spelled = notData
        break
      }
      spelled++
    }
    const counted = at
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quote) {
        inString = false
        break
      }
    }
    if (spelled === dataScheme.length) dataBytes += at - counted
    return at
  }
  return (chunk) => {
    bytes += chunk.length
    if (bytes > limits.bytesMax) throw tooLarge(limits)
    for (let at = 0; at < chunk.length; at++) {
      if (inString) at = skipString(chunk, at)
      else measureSign(chunk[at] ?? 0)
    }
    if (bytes - dataBytes > limits.plainBytesMax) throw tooMuchText(limits)
  }
}

/** Creates the error for a body beyond `bytesMax`. */
export function tooLarge({ bytesMax }: BodyLimits) {
  return fail('payload_too_large', { facts: { bytesMax } })
}

function tooMuchText(limits: BodyLimits) {
  const { plainBytesMax } = limits
  if (plainBytesMax === limits.bytesMax) return tooLarge(limits)
  const message = `The body has more than ${plainBytesMax} bytes outside of its \`data:\` URIs.`
  return fail('payload_too_large', { message, facts: { bytesMax: plainBytesMax } })
}
