// Which failure an error of the connection is, in a sentence for the business. The text of the error itself is never passed on:
// it names addresses.

import { errors } from 'undici'
import { AddressRefused, LookupFailed } from './guarded-connect.ts'

export type FailureKind = 'refused_address' | 'timeout' | 'connect_error' | 'tls_error' | 'protocol_error'

export type SendFailure = {
  kind: FailureKind
  detail: string
  /** For the operator's log alone. */
  operatorDetail?: string
}

/** One sentence for an unknown name and for an internal name, or a business could ask our resolver which names exist. */
const noPublicAddress = 'The host does not lead to an address on the public internet that deliveries may go to.'

const failuresByCode: Readonly<Record<string, SendFailure>> = {
  ECONNREFUSED: { kind: 'connect_error', detail: 'The receiver refused the connection.' },
  ECONNRESET: { kind: 'connect_error', detail: 'The receiver reset the connection.' },
  EPIPE: { kind: 'connect_error', detail: 'The receiver closed the connection while the event was being sent.' },
  ETIMEDOUT: { kind: 'connect_error', detail: 'No connection could be made in time.' },
  EHOSTUNREACH: { kind: 'connect_error', detail: 'The receiver cannot be reached from here.' },
  ENETUNREACH: { kind: 'connect_error', detail: 'The receiver cannot be reached from here.' },
  UND_ERR_CONNECT_TIMEOUT: { kind: 'connect_error', detail: 'No connection could be made in time.' },
  UND_ERR_SOCKET: { kind: 'connect_error', detail: 'The receiver closed the connection without a whole answer.' },
  UND_ERR_HEADERS_OVERFLOW: { kind: 'protocol_error', detail: 'The headers of the answer are too large.' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    kind: 'protocol_error',
    detail: 'The answer is shorter or longer than its Content-Length.',
  },
  CERT_HAS_EXPIRED: { kind: 'tls_error', detail: 'The certificate has expired.' },
  CERT_NOT_YET_VALID: { kind: 'tls_error', detail: 'The certificate is not valid yet.' },
  ERR_TLS_CERT_ALTNAME_INVALID: { kind: 'tls_error', detail: 'The certificate is for another host name.' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: 'tls_error', detail: 'The certificate is self-signed.' },
  SELF_SIGNED_CERT_IN_CHAIN: { kind: 'tls_error', detail: 'The certificate chain ends in an unknown authority.' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: 'tls_error', detail: 'The certificate chain is incomplete.' },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: 'tls_error', detail: 'The certificate chain is incomplete.' },
}

const tlsFailed: SendFailure = { kind: 'tls_error', detail: 'TLS could not be set up with the receiver.' }
const connectionFailed: SendFailure = { kind: 'connect_error', detail: 'The connection to the receiver failed.' }
export const tooManyInterimAnswers: SendFailure = {
  kind: 'protocol_error',
  detail: 'The receiver sent more than 10 interim (1xx) answers, or more than 16 KiB of them, before its answer.',
}
const notHttp: SendFailure = { kind: 'protocol_error', detail: 'The answer is not valid HTTP/1.1.' }

const misuseCodes: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
])

/** @returns whether the request itself could not be written, which is a mistake of ours */
export function isMisuse(error: Error): boolean {
  return misuseCodes.has(codeOf(error))
}

const ownCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

/**
 * Says whether this machine lacked a file, a port or memory, so that nothing is known of the receiver. A failed lookup is not
 * such a fault: the resolver says the same when our name server is away and when the receiver's is broken.
 */
export function isOurFault(error: Error): boolean {
  const cause = error instanceof LookupFailed && error.cause instanceof Error ? error.cause : error
  return ownCodes.has(codeOf(cause)) || isOutOfPorts(cause)
}

/** For an IPv6 address the same code says that this machine has no IPv6. */
const isOutOfPorts = (error: Error): boolean =>
  codeOf(error) === 'EADDRNOTAVAIL' && !('address' in error && String(error.address).includes(':'))

export function failureOf(error: Error): SendFailure {
  if (error instanceof AddressRefused || error instanceof LookupFailed)
    return { kind: 'refused_address', detail: noPublicAddress, operatorDetail: error.message }
  if (error instanceof errors.HTTPParserError) return notHttp
  const code = codeOf(error)
  // Undici reports an unexpected 101 as a socket error, which only its text tells apart.
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(error.message)) return notHttp
  return failuresByCode[code] ?? (isTlsCode(code) ? tlsFailed : connectionFailed)
}

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|EPROTO$|UNABLE_TO_)/.test(code)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
