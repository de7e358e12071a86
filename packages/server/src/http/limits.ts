// The limits of the edge, with units. Those an operator may change stand in config.ts.

export const pageLimitDefault = 20
export const pageLimitMax = 100

export const bodyBytesMax = 256 * 1024
export const providerEventBytesMax = 1024 * 1024
/** The whole KYC submission; one image is limited where it is decoded. */
export const kycBytesMax = 32 * 1024 * 1024
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
/** How long we go on reading a body that is refused already, so that the caller can read why. */
export const lingerMs = 5_000
