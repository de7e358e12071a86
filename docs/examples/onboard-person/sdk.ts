// region create
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const externalUserId = process.env['END_USER'] ?? 'ada' // your own id
await causeway.endUsers.create({ externalUserId, type: 'individual' })
// endregion

// region terms
const { tosLink } = await causeway.endUsers.createTosLink(externalUserId)
// endregion

// region accept
const headers = { 'content-type': 'application/json' }
const accepted = await fetch(tosLink, { method: 'POST', headers, body: '{}' })
const { signedAgreementId } = (await accepted.json()) as { signedAgreementId: string }
// endregion

// region submit
await causeway.kyc.submit(externalUserId, {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: `${externalUserId}@example.com`,
  birth_date: '1990-12-10',
  residential_address: {
    street_line_1: '1 Analytical Way',
    city: 'San Francisco',
    subdivision: 'CA',
    postal_code: '94105',
    country: 'USA',
  },
  identifying_information: [{ type: 'ssn', issuing_country: 'usa', number: '123-45-6789' }],
  signed_agreement_id: signedAgreementId,
})
// endregion

// region wait
let endUser = await causeway.endUsers.get(externalUserId)
while (endUser.kycStatus !== 'approved') {
  await new Promise((wake) => setTimeout(wake, 1_000))
  endUser = await causeway.endUsers.get(externalUserId)
}
console.log(endUser.rails)
// endregion
