// Roles of staff in a business, in words.

import type { StaffRole } from '@causeway/sdk'

export const rolesHint =
  'Admin: everything. Developer: webhooks, events and API keys. Support: end-users, and reads of accounts and events. Finance: reads of accounts and deposits.'

export const roleOptions: readonly (readonly [role: StaffRole, words: string])[] = [
  ['admin', 'Admin'],
  ['developer', 'Developer'],
  ['support', 'Support'],
  ['finance', 'Finance'],
]
