// Events that came from the provider: acknowledged once committed, believed only when signed, applied in whatever order.

import type { PlantedBug } from '../planted-bug.ts'

export const eventBugs: readonly PlantedBug[] = [
  {
    name: 'deposit-goes-back',
    promise: 'a deposit never moves back, in whatever order its events come',
    file: 'packages/server/src/domain/deposit.ts',
    find: '(before?.phase ?? 0) - (after?.phase ?? 0) ||',
    replace: '',
    caughtBy: [{ file: 'packages/server/src/domain/deposit.test.ts' }],
  },
  {
    name: 'dedupe-on-the-id-alone',
    promise: 'a forged event suppresses no real one: events are told apart by id and trust',
    file: 'packages/server/src/store/event-intake.ts',
    find: '({ trust, providerEventId }) => `${trust}:${providerEventId}`',
    replace: '({ providerEventId }) => `verified:${providerEventId}`',
    caughtBy: [{ file: 'packages/server/test/relay-trust.test.ts' }],
  },
]
