// region read
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const externalUserId = process.env['END_USER'] ?? 'ada'
const { kycStatus, rejectionReasons, requirements, nextAction } = await causeway.kyc.links(externalUserId)
console.log(kycStatus, rejectionReasons) // you can show these texts
for (const { requirement, reason, resubmittable } of requirements.errors)
  console.log(requirement, reason, resubmittable)
console.log(nextAction.kind, nextAction.fields)
// endregion

// region correct
if (nextAction.kind === 'resubmit_kyc') {
  await causeway.kyc.submit(externalUserId, {
    identifying_information: [{ type: 'ssn', issuing_country: 'usa', number: '123-45-6788' }],
  })
}
// endregion
