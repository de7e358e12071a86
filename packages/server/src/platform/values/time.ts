// Times as the API writes them.

/** ISO 8601 UTC with milliseconds. */
export function isoTime(time: Date | number): string {
  return (typeof time === 'number' ? new Date(time) : time).toISOString()
}

const firstMs = Date.parse('0001-01-01T00:00:00.000Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Whether it is a time at all, and one that ISO 8601 writes with a year of four digits and PostgreSQL reads back. */
export function isWritable(time: Date): boolean {
  return time.getTime() >= firstMs && time.getTime() <= lastMs
}
