// Roles of staff in a business, in words.

import type { StaffRole } from '@causeway/sdk'

export const roleOptions: readonly (readonly [role: StaffRole, words: string])[] = [
  ['admin', 'Admin: everything'],
  ['developer', 'Developer: webhooks, events and API keys'],
  ['support', 'Support: end-users, and reads of accounts and events'],
  ['finance', 'Finance: reads of accounts and deposits'],
]
