// region sums
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const day = new Date().toISOString().slice(0, 10) // of UTC
const { paidIn, sentOn, differences } = await causeway.reports.depositSums(day)
console.log(paidIn, sentOn)
if (differences.length > 0) throw new Error(`${differences.length} deposits do not add up`)
// endregion

// region list
for await (const deposit of causeway.reports.deposits(day)) {
  console.log(deposit.completedAt, deposit.id, deposit.grossAmount, deposit.netAmount)
}
// endregion

// region csv
for await (const page of causeway.reports.depositsCsv(day, { limit: 100 })) process.stdout.write(page)
// endregion
