// region open
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const externalUserId = process.env['END_USER'] ?? 'ada'
const account = await causeway.virtualAccounts.create(
  {
    externalUserId,
    source: { currency: 'usd' },
    destination: {
      payment_rail: 'solana',
      currency: 'usdc',
      address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
    },
    developer_fee_percent: '0.5',
  },
  { idempotencyKey: `${externalUserId}-usd-1` },
)
console.log(account.status, account.bankName)
// endregion
