// Maps an error of the connection to a failure and a sentence for the business. The error's own text is never passed
// on: it contains addresses.

import { errors } from 'undici'
import { AddressRefused, LookupFailed } from './guarded-connect.ts'

export type FailureKind = 'refused_address' | 'timeout' | 'connect_error' | 'tls_error' | 'protocol_error'

export type SendFailure = {
  kind: FailureKind
  detail: string
  /** For the operator's log only. */
  operatorDetail?: string
}

/**
 * One sentence for an unknown name and for an internal name. Otherwise a business could ask our resolver which names
 * exist.
 */
const noPublicAddress = 'The host does not resolve to a public address that deliveries are allowed to use.'

const failuresByCode: Readonly<Record<string, SendFailure>> = {
  ECONNREFUSED: { kind: 'connect_error', detail: 'The receiver refused the connection.' },
  ECONNRESET: { kind: 'connect_error', detail: 'The receiver reset the connection.' },
  EPIPE: { kind: 'connect_error', detail: 'The receiver closed the connection while the event was being sent.' },
  ETIMEDOUT: { kind: 'connect_error', detail: 'The connection timed out.' },
  EHOSTUNREACH: { kind: 'connect_error', detail: 'The receiver cannot be reached from this deployment.' },
  ENETUNREACH: { kind: 'connect_error', detail: 'The receiver cannot be reached from this deployment.' },
  UND_ERR_CONNECT_TIMEOUT: { kind: 'connect_error', detail: 'The connection timed out.' },
  UND_ERR_SOCKET: {
    kind: 'connect_error',
    detail: 'The receiver closed the connection before the response was complete.',
  },
  UND_ERR_HEADERS_OVERFLOW: { kind: 'protocol_error', detail: 'The response headers are too large.' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    kind: 'protocol_error',
    detail: 'The response body does not match its Content-Length.',
  },
  CERT_HAS_EXPIRED: { kind: 'tls_error', detail: 'The certificate has expired.' },
  CERT_NOT_YET_VALID: { kind: 'tls_error', detail: 'The certificate is not valid yet.' },
  ERR_TLS_CERT_ALTNAME_INVALID: { kind: 'tls_error', detail: 'The certificate is for another host name.' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: 'tls_error', detail: 'The certificate is self-signed.' },
  SELF_SIGNED_CERT_IN_CHAIN: { kind: 'tls_error', detail: 'The certificate chain ends in an unknown authority.' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: 'tls_error', detail: 'The certificate chain is incomplete.' },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: 'tls_error', detail: 'The certificate chain is incomplete.' },
}

const tlsFailed: SendFailure = { kind: 'tls_error', detail: 'The TLS handshake with the receiver failed.' }
const connectionFailed: SendFailure = { kind: 'connect_error', detail: 'The connection to the receiver failed.' }
export const tooManyInterimAnswers: SendFailure = {
  kind: 'protocol_error',
  detail: 'The receiver sent more than 10 interim (1xx) responses, or more than 16 KiB of them, before its response.',
}
const notHttp: SendFailure = { kind: 'protocol_error', detail: 'The response is not valid HTTP/1.1.' }

const misuseCodes: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
])

/** @returns whether the request itself could not be written, which is a bug of Causeway */
export function isMisuse(error: Error): boolean {
  return misuseCodes.has(codeOf(error))
}

const ownCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

/**
 * Returns true if the error is local (no file descriptor, port or memory), so the attempt says nothing about the
 * receiver. DNS failures return false: a broken local resolver and a broken receiver domain look the same.
 */
export function isOurFault(error: Error): boolean {
  const cause = error instanceof LookupFailed && error.cause instanceof Error ? error.cause : error
  return ownCodes.has(codeOf(cause)) || isOutOfPorts(cause)
}

/** For an IPv6 address, the same code means that this machine has no IPv6. */
const isOutOfPorts = (error: Error): boolean =>
  codeOf(error) === 'EADDRNOTAVAIL' && !('address' in error && String(error.address).includes(':'))

export function failureOf(error: Error): SendFailure {
  if (error instanceof AddressRefused || error instanceof LookupFailed)
    return { kind: 'refused_address', detail: noPublicAddress, operatorDetail: error.message }
  if (error instanceof errors.HTTPParserError) return notHttp
  const code = codeOf(error)
  // Undici reports an unexpected 101 as a socket error, and only its text distinguishes it.
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(error.message)) return notHttp
  return failuresByCode[code] ?? (isTlsCode(code) ? tlsFailed : connectionFailed)
}

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|EPROTO$|UNABLE_TO_)/.test(code)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
