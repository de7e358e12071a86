// region create
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const externalUserId = process.env['END_USER'] ?? 'grace' // your own id
await causeway.endUsers.create({ externalUserId, type: 'individual' })
// endregion

// region link
const link = await causeway.onboarding.createLink(externalUserId, {
  rails: ['usd'],
  redirectUri: 'https://app.example.com/onboarded',
  expiresInHours: 24,
})
console.log(link.url)
// endregion

// region state
const { kycStatus, rails, nextAction } = await causeway.endUsers.get(externalUserId)
console.log(kycStatus, rails, nextAction.kind)
// endregion
