// The ids of seeded rows, by their number, and when a row was made: a month ago at first, now at last.

import { idTime } from '../../../../server/src/platform/values/ids.ts'

/** The ids of the two businesses. */
export type Businesses = { large: string; small: string }

export const dayMs = 86_400_000
export const spanDays = 30
export const beganMs = Date.now()
export const firstMs = beganMs - spanDays * dayMs
/** @returns the time so many days before the seeding */
export const dayOf = (daysAgo: number): string => new Date(beganMs - daysAgo * dayMs).toISOString()

/** So many times are in ids: making one for each row would take longer than storing it. */
export const moments = Array.from({ length: 10_000 }, (_, n) =>
  idTime(Math.floor(firstMs + (n * spanDays * dayMs) / 10_000)),
)

const padded = (n: number) => String(n).padStart(22, '0')
export const endUserOf = (n: number): string => `eu_${padded(n)}`
export const accountOf = (n: number): string => `va_${padded(n)}`
export const informationRequestOf = (n: number): string => `ireq_${padded(n)}`
export const depositOf = (n: number): string => `dep_${padded(n)}`
/** @param nth from 1, which has all deliveries of the business */
export const endpointOf = (businessId: string, nth = 1): string =>
  `whe_${businessId.slice(-20)}${String(nth).padStart(6, '0')}`
export const replayOf = (endpointId: string, nth: number): string => `rpl_${endpointId.slice(-6)}${padded(nth)}`

/** The end of the id of an event, of its delivery and of a request. @param rows of each table */
const timedOf = (n: number, rows: number) =>
  `${moments[Math.floor(((n - 1) * moments.length) / rows)]}${padded(n).slice(-16)}`
export const eventOf = (n: number, rows: number): string => `evt_${timedOf(n, rows)}`
export const deliveryOf = (n: number, rows: number): string => `dlv_${timedOf(n, rows)}000001`
export const requestOf = (n: number, rows: number): string => `req_${timedOf(n, rows)}`
