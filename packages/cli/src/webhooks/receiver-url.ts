// The URL of a receiver, as a person types it: a port, a host with a path, or a full URL.

import { type Flags, UsageError } from '../command.ts'

/**
 * Reads `3000`, `3000/hooks`, `localhost:3000/hooks` or a full URL. A value that starts with a port means this machine.
 * @throws UsageError that names the option
 */
export function receiverUrl(option: string, given: Flags[string]): string {
  const text = String(given)
  const local = text.replace(/^:?(\d+)(?=$|[/?])/, 'localhost:$1')
  const url = /^[a-z][a-z+.-]*:\/\//i.test(local) ? local : `http://${local}`
  if (URL.canParse(url) && /^https?:\/\/[^/]/i.test(url)) return new URL(url).href
  throw new UsageError(`${option} takes a port or a URL, such as 3000/hooks or http://localhost:3000/hooks`)
}
