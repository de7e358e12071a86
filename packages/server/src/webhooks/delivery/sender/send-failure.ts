// Tells from an error of the connection what kind of failure it was, and says so in words fit for a business to read.
// The texts of the errors themselves are never passed on: they name addresses.

import { errors } from 'undici'
import { AddressRefused, LookupFailed } from './guarded-connect.ts'

export type FailureKind = 'refused_address' | 'timeout' | 'connect_error' | 'tls_error' | 'protocol_error'

export type SendFailure = {
  kind: FailureKind
  /** For the business. */
  detail: string
  /** What only the operator may know. */
  operatorDetail?: string
}

/** One sentence whether the name is not known, or known and internal: else a business could ask our resolver which are. */
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
/** More of them than any receiver needs. */
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

/** The request itself could not be written: a mistake of ours, not a failure of the receiver. */
export function isMisuse(error: Error): boolean {
  return misuseCodes.has(codeOf(error))
}

const ownCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

/**
 * This machine has no file, port or memory left for it: nothing is known of the receiver. A look-up that fails is not among
 * them: the resolver says the same of a name server of ours that is away and of one of the receiver's that is broken.
 */
export function isOurFault(error: Error): boolean {
  const cause = error instanceof LookupFailed && error.cause instanceof Error ? error.cause : error
  return ownCodes.has(codeOf(cause)) || isOutOfPorts(cause)
}

/** Where this machine has no IPv6 at all, the same is said of every such address. */
const isOutOfPorts = (error: Error): boolean =>
  codeOf(error) === 'EADDRNOTAVAIL' && !('address' in error && String(error.address).includes(':'))

export function failureOf(error: Error): SendFailure {
  if (error instanceof AddressRefused || error instanceof LookupFailed)
    return { kind: 'refused_address', detail: noPublicAddress, operatorDetail: error.message }
  if (error instanceof errors.HTTPParserError) return notHttp
  const code = codeOf(error)
  // Undici reports an unasked-for 101 as a socket error, told apart by its text alone.
  if (code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(error.message)) return notHttp
  return failuresByCode[code] ?? (isTlsCode(code) ? tlsFailed : connectionFailed)
}

function isTlsCode(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|EPROTO$|UNABLE_TO_)/.test(code)
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
