// The judged mutants. judged.ts describes an entry.

import type { Judged } from './judged.ts'

export const judged: readonly Judged[] = []
