// The stories that every adapter has to pass, by number.

import type { Story } from './contract.ts'
import { accountStories } from './stories/accounts.ts'
import { customerStories } from './stories/customers.ts'
import { depositStories } from './stories/deposits.ts'
import { eventStories } from './stories/events.ts'
import { failureStories } from './stories/failures.ts'
import { lostCustomerStories } from './stories/lost-customers.ts'

export const stories: readonly Story[] = [
  ...customerStories,
  ...lostCustomerStories,
  ...accountStories,
  ...depositStories,
  ...eventStories,
  ...failureStories,
].toSorted((one, other) => one.number - other.number)
