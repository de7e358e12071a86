// region register
import { Causeway } from '@causeway/sdk'

const causeway = new Causeway({
  baseUrl: process.env['CAUSEWAY_URL'] ?? '',
  apiKey: process.env['CAUSEWAY_API_KEY'] ?? '',
})

const endpoint = await causeway.webhookEndpoints.create({
  webhookUrl: process.env['RECEIVER_URL'] ?? 'http://127.0.0.1:9000/webhooks',
  eventTypes: ['virtual_account.*'],
})
console.log(endpoint.signingSecret) // shown once: keep it
// endregion

// region test
await causeway.webhookEndpoints.test(endpoint.id, { eventType: 'virtual_account.payment.received' })
// endregion
