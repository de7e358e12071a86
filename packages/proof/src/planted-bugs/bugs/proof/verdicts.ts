// Bugs of the proofs themselves: what is measured and not judged.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds code, and `caughtBy` the title of a test, as their files spell them.

import type { PlantedBug } from '../../planted-bug.ts'

export const verdictBugs: readonly PlantedBug[] = [
  {
    name: 'count-that-must-stay-zero-is-ignored',
    promise: 'a count that must stay zero fails a proof',
    row: 25,
    in: 'proof',
    within: 'faultsOfCounts',
    find: '(counts.get(name) ?? 0) > 0',
    replace: '(counts.get(name) ?? 0) > 1',
    caughtBy: ['counts that must stay zero, and counts without which a run proves nothing, fail it'],
  },
  {
    name: 'signatures-are-not-judged',
    promise: 'a delivery with a wrong signature fails a proof',
    row: 25,
    in: 'proof',
    within: 'judgeSignatures',
    find: "if (!isSigned) return [{ kind: 'broken', text: `${about} does not verify` }]",
    replace: 'if (!isSigned) return []',
    caughtBy: ['found when ${what}'],
  },
  {
    name: 'different-responses-under-one-key-are-not-judged',
    promise: 'a repeat under one Idempotency-Key that gets another response fails a proof',
    row: 25,
    in: 'proof',
    within: 'judgeRepeats',
    find: 'if (bodies.size === 1)',
    replace: 'if (bodies.size >= 1)',
    caughtBy: ['found when ${what}'],
  },
]
