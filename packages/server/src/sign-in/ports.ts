// Dependencies of the sign-in.

import type { ApiKeys } from '../businesses/ports.ts'
import type { Issuers } from './protocol/issuers.ts'

export type SignsIn = ApiKeys & { issuers: Pick<Issuers, 'of'> }
