// Undici, which all requests to others go out by. It is read at the first of them, or soon after a start, not during it.

import { createRequire } from 'node:module'

type Undici = typeof import('undici')

const require = createRequire(import.meta.url)
let found: Undici | undefined

export function undici(): Undici {
  found ??= require('undici') as Undici
  return found
}
