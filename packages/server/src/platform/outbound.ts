// Undici, which all requests to others go out by. It is read at the first of them, or soon after a start, not during it.

import { createRequire } from 'node:module'

type Undici = typeof import('undici')
type Parts = Pick<Undici, 'Pool' | 'buildConnector' | 'errors'>

const require = createRequire(import.meta.url)
let parts: Parts | undefined

/** What deliveries and calls to the provider need. By the front door come fetch, WebSockets and mocks, and take as long again. */
export function undici(): Parts {
  parts ??= {
    Pool: require('undici/lib/dispatcher/pool.js') as Undici['Pool'],
    buildConnector: require('undici/lib/core/connect.js') as Undici['buildConnector'],
    errors: require('undici/lib/core/errors.js') as Undici['errors'],
  }
  return parts
}

export function wholeUndici(): Undici {
  return require('undici') as Undici
}
