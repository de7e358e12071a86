// The types of the packed SDK for CommonJS.
import sdk = require('@causeway/sdk')
import webhooks = require('@causeway/sdk/webhooks')

export const api: sdk.Causeway = new sdk.Causeway({ baseUrl: 'https://causeway.example.com', apiKey: null })
export const verified: Promise<webhooks.VerifiedWebhook> = webhooks.verify('', {}, 'whsec_')
