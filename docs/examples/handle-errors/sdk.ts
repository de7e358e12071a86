// region retry
import { ApiError, Causeway, CausewayError } from '@causeway/sdk'

// The SDK retries automatically: `retriesMax` times, with backoff, and with one key for all attempts of a call.
const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
  retriesMax: 4,
})

const externalUserId = process.env['END_USER'] ?? 'ada'
const openAccount = () =>
  causeway.virtualAccounts.create(
    {
      externalUserId,
      source: { currency: 'usd' },
      destination: {
        payment_rail: 'solana',
        currency: 'usdc',
        address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
      },
    },
    { idempotencyKey: `${externalUserId}-usd-1` },
  )
// endregion

// region handle
try {
  const { id } = await openAccount()
  console.log(id)
} catch (error) {
  if (!(error instanceof CausewayError)) throw error
  if (error.code === 'kyc_not_approved' || error.code === 'rail_not_enabled')
    console.log('KYC is not complete: show the next action')
  else if (error instanceof ApiError) console.log(`${error.code}: ${error.resolution} Request ${error.requestId}`)
  else console.log('No response. Retry later with the same key.')
}
// endregion
