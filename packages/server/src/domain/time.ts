// Times as the API writes them.

/** ISO 8601 UTC with milliseconds. */
export function isoTime(time: Date | number): string {
  return (typeof time === 'number' ? new Date(time) : time).toISOString()
}
