// region send
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const virtualAccountId = process.env['ACCOUNT_ID'] ?? 'va_…'
const sent = await causeway.sandbox.simulateDeposit({ virtualAccountId, amount: '1000.00' })
// endregion

// region wait
const completed = () => causeway.virtualAccounts.deposits(virtualAccountId, { status: 'completed' }).toArray({ max: 1 })
while ((await completed()).length === 0) await new Promise((wake) => setTimeout(wake, 1_000))
// endregion

// region read
const deposit = await causeway.deposits.get(sent.id)
console.log(deposit.status, deposit.grossAmount, deposit.netAmount, deposit.timeline)
// endregion

// region list
for await (const { id, netAmount } of causeway.virtualAccounts.deposits(virtualAccountId, { status: 'completed' })) {
  console.log(id, netAmount)
}
// endregion
