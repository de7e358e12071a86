// The HTTP limits, with units. settings.ts has the limits that an operator may change.

export const pageLimitDefault = 20
export const pageLimitMax = 100

/**
 * Requests of one business that a process works on at the same time, excluding waits for the provider. Two serve 4,000
 * reads a second, forty times the limit of a key. With four, forty callers that change accounts raise another
 * business's p99 by 1.7 to 2.2 times.
 */
export const requestsAtOncePerBusiness = 2

/** Limits of a request body, enforced while the body is read: nothing beyond a limit is kept or parsed. */
export type BodyLimits = {
  bytesMax: number
  /** Bytes outside the values of members that are `data:` URIs. Equal to `bytesMax` for bodies without such members. */
  plainBytesMax: number
  /** Members of objects and items of arrays, at all depths together. */
  membersMax: number
}

const plain = (bytesMax: number, membersMax: number): BodyLimits => ({ bytesMax, plainBytesMax: bytesMax, membersMax })

/** The default. The largest defined body has about 60 members; metadata has at most 50. */
export const ordinaryBody = plain(256 * 1024, 1_000)
/** For one key, code or secret of an unauthenticated caller. */
export const credentialBody = plain(8 * 1024, 20)
export const providerEventBody = plain(1024 * 1024, 10_000)
/** For an address with too many rejected events. The provider's own events are a few KiB. */
export const providerEventBytesWhileRefused = 64 * 1024
/**
 * The whole KYC submission: a company with all its people has fewer than 1,000 members. One image is limited where it
 * is decoded.
 */
export const kycBody: BodyLimits = { bytesMax: 32 * 1024 * 1024, plainBytesMax: 256 * 1024, membersMax: 10_000 }
/** The check of an onboarding form while the end-user types: a submission without images. */
export const kycCheckBody = plain(kycBody.plainBytesMax, kycBody.membersMax)
/** Per onboarding page, which sends a check each time the end-user leaves a field. */
export const kycChecksPerMinute = 120

export const jsonDepthMax = 32
export const headerBytesMax = 16 * 1024
/** 128 characters of four bytes, each percent-encoded, are 1,536. */
export const pathParamCharsMax = 2048
/** Problems listed in one response. */
export const errorDetailsMax = 50

/** From the first byte of a request to its last. 32 MiB in this time is 4.5 Mbit/s. */
export const requestTimeoutMs = 60_000
export const headersTimeoutMs = 15_000
/** Longer than the 60 s after which load balancers usually drop an idle connection, so that they do it first. */
export const keepAliveTimeoutMs = 65_000
/** Time limit for a connection without any traffic. Longer than the longest long-poll. */
export const silentConnectionMs = 120_000
export const connectionsMax = 10_000
/** Limits for reading and discarding the body of a rejected request, so that its caller can read the response. */
export type RefusedBodyLimits = {
  /** Time limit for one body, after which its connection is cut. */
  lingerMs: number
  /** Bytes of one body that are read at full speed. */
  atOnceBytes: number
  /** Rate for the rest, for all bodies together. */
  bytesPerMs: number
}

/**
 * A body of 32 MiB is read completely within its time limit. The bytes are garbage outside the heap: at 8 KiB/ms V8
 * collected it once a second, and no request was served for 5 to 15 ms each time.
 */
export const refusedBody: RefusedBodyLimits = { lingerMs: 20_000, atOnceBytes: 64 * 1024, bytesPerMs: 2 * 1024 }
