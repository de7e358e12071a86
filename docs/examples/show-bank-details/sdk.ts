// region read
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const accountId = process.env['ACCOUNT_ID'] ?? 'va_…'
const { instructions } = await causeway.virtualAccounts.depositInstructions(accountId)
for (const { railName, details } of instructions) {
  console.log(railName)
  for (const { label, value } of details) console.log(`  ${label}: ${value}`)
}
// endregion
