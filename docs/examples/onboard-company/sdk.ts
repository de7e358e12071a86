// region requirements
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const needed = await causeway.kyc.requirements({ country: 'USA', type: 'business' })
console.log(needed.documents.requiredPurposes)
// endregion

// region create
const externalUserId = process.env['END_USER'] ?? 'engines' // your own id
await causeway.endUsers.create({ externalUserId, type: 'business' })
// endregion

const { tosLink } = await causeway.endUsers.createTosLink(externalUserId)
const headers = { 'content-type': 'application/json' }
const accepted = await fetch(tosLink, { method: 'POST', headers, body: '{}' })
const { signedAgreementId } = (await accepted.json()) as { signedAgreementId: string }

// region submit
import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'

const company = JSON.parse(await readFile('company.json', 'utf8'))
const email = `${externalUserId}@example.com`
await causeway.kyc.submit(
  externalUserId,
  { ...company, email, signed_agreement_id: signedAgreementId },
  { files: { 'documents[0].file': await openAsBlob('formation.png', { type: 'image/png' }) } },
)
// endregion

// region people
const { nextAction, associatedPersons } = await causeway.kyc.links(externalUserId)
console.log(nextAction.kind, associatedPersons)
// endregion
