// The limits of the edge, with units. Those an operator may change stand in settings.ts.

export const pageLimitDefault = 20
export const pageLimitMax = 100

/**
 * Requests of one business on which a process works at the same time, waits for the provider not counted. Two do 4,000 reads
 * a second, forty times what a key may. With four, forty callers that change accounts raise another business's p99 1.7 to 2.2 times.
 */
export const requestsAtOncePerBusiness = 2

/** What a request body may cost. Each limit holds while the body is read: nothing beyond it is kept or parsed. */
export type BodyLimits = {
  bytesMax: number
  /** Bytes that are not inside the value of a member that is a `data:` URI. Equal to `bytesMax` where there are no such. */
  plainBytesMax: number
  /** Members of objects and items of arrays, at all depths together. */
  membersMax: number
}

const plain = (bytesMax: number, membersMax: number): BodyLimits => ({ bytesMax, plainBytesMax: bytesMax, membersMax })

/** The default. The largest body we define has some 60 members; metadata has at most 50. */
export const ordinaryBody = plain(256 * 1024, 1_000)
/** One key, code or secret of an unauthenticated caller. */
export const credentialBody = plain(8 * 1024, 20)
export const providerEventBody = plain(1024 * 1024, 10_000)
/** For an address with too many refused events. The provider's own events have a few KiB. */
export const providerEventBytesWhileRefused = 64 * 1024
/** The whole KYC submission: a company with all its people has under 1,000 members. One image is limited where it is decoded. */
export const kycBody: BodyLimits = { bytesMax: 32 * 1024 * 1024, plainBytesMax: 256 * 1024, membersMax: 10_000 }
/** What an onboarding page has judged while somebody types: a submission without its pictures. */
export const kycCheckBody = plain(kycBody.plainBytesMax, kycBody.membersMax)
/** Of one onboarding page, which asks at each field that is left. */
export const kycChecksPerMinute = 120

export const jsonDepthMax = 32
export const headerBytesMax = 16 * 1024
/** 128 characters of four bytes, each percent-encoded, are 1,536. */
export const pathParamCharsMax = 2048
/** Problems listed in one answer. */
export const errorDetailsMax = 50

/** From the first byte of a request to its last. 32 MiB in this time is 4.5 Mbit/s. */
export const requestTimeoutMs = 60_000
export const headersTimeoutMs = 15_000
/** Longer than the 60 s after which load balancers usually drop an idle connection, so that they do it first. */
export const keepAliveTimeoutMs = 65_000
/** A connection on which nothing moves at all. Longer than the longest long-poll. */
export const silentConnectionMs = 120_000
export const connectionsMax = 10_000
/** How much of a body that is refused already is read and dropped, so that its caller can read the answer. */
export type RefusedBodyLimits = {
  /** Time for one body; then its connection is cut. */
  lingerMs: number
  /** Bytes of one body, as fast as they come. */
  atOnceBytes: number
  /** Pace of the rest, for all bodies together. */
  bytesPerMs: number
}

/**
 * A body of 32 MiB is read to its end before its time is over. The bytes read are garbage outside the heap: at 8 KiB/ms V8
 * collected it once a second, and no request was served for 5 to 15 ms each time.
 */
export const refusedBody: RefusedBodyLimits = { lingerMs: 20_000, atOnceBytes: 64 * 1024, bytesPerMs: 2 * 1024 }
