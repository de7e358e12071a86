// From an API key to a reconciled deposit, on a sandbox: CAUSEWAY_URL=… CAUSEWAY_API_KEY=… node first-deposit.ts
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Causeway, type Deposit } from '@causeway/sdk'

const { CAUSEWAY_URL: baseUrl = '', CAUSEWAY_API_KEY: apiKey = '', RECEIVER_PORT: port = '9100' } = process.env
const causeway = new Causeway({ baseUrl, apiKey })
const externalUserId = `grace-${Date.now()}`
await causeway.endUsers.create({ externalUserId })
const { tosLink } = await causeway.endUsers.createTosLink(externalUserId)
const page = await fetch(tosLink, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
const { signedAgreementId: signed_agreement_id } = (await page.json()) as { signedAgreementId: string }
const person = { first_name: 'Grace', last_name: 'Hopper', email: `${externalUserId}@example.com` }
const address = { street_line_1: '1 Navy Yard', city: 'Arlington', subdivision: 'VA', postal_code: '22201' }
const residence = { birth_date: '1986-12-09', residential_address: { ...address, country: 'USA' } }
const identifying_information = [{ type: 'ssn', issuing_country: 'usa', number: '123-45-6789' }]
await causeway.kyc.submit(externalUserId, { ...person, ...residence, identifying_information, signed_agreement_id })
while ((await causeway.endUsers.get(externalUserId)).rails['usd'] !== 'active') await delay(250)
const endpoint = await causeway.webhookEndpoints.create({ webhookUrl: `http://127.0.0.1:${port}/webhooks` })
const { promise: payment, resolve } = Promise.withResolvers<Deposit>()
const receiver = createServer(async (request, response) => {
  const event = await causeway.webhooks.verify(await buffer(request), request.headers, endpoint.signingSecret)
  response.writeHead(204).end()
  if (event.type === 'virtual_account.payment.received') resolve(event.data)
}).listen(Number(port), '127.0.0.1')

const wallet = { payment_rail: 'solana', currency: 'usdc', address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE' }
const terms = { source: { currency: 'usd' }, destination: wallet, developer_fee_percent: '0.5' }
const { id: virtualAccountId } = await causeway.virtualAccounts.create({ externalUserId, ...terms })
await causeway.sandbox.simulateDeposit({ virtualAccountId, amount: '1000.00' })
const { id, completedAt } = await payment
const day = completedAt?.slice(0, 10) ?? ''
const report = await causeway.reports.deposits(day).toArray({ max: 10_000 })
const entry = report.find((deposit) => deposit.id === id)
if (entry?.difference !== null) throw new Error(`${id} does not add up, or is not in the report of ${day}`)
const { paidIn, sentOn } = await causeway.reports.depositSums(day)
console.log(`reconciled: ${JSON.stringify(paidIn)} became ${JSON.stringify(sentOn)}`)
await causeway.webhookEndpoints.delete(endpoint.id)
receiver.close().closeAllConnections()
