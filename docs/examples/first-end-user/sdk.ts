// region create
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const externalUserId = process.env['END_USER'] ?? 'ada' // your own ID
const endUser = await causeway.endUsers.create({ externalUserId, type: 'individual' })
console.log(endUser.kycStatus)
// endregion
