// `npm run fuzz`: no request causes a 5xx, a response that openapi.json does not declare, or an echo of the request. Ends with one
// line of JSON; exit code 1 if a request did, or if the run proves nothing.

import { readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { runCampaign } from './campaign.ts'

const { requests, seed } = readOptions(
  'fuzz',
  'Sends broken bytes to the API, attacks its socket, and then Schemathesis sends what openapi.json allows and forbids.',
  { requests: wholeNumber('requests of Schemathesis, about', 2_000), seed: seedOption() },
)

const interrupt = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupt.abort(new Error(`ended by ${name}`)))

console.log(`fuzz: ${requests} requests, --seed ${seed}`)
try {
  const { figures, faults, shown } = await runCampaign({ requests, seed, signal: interrupt.signal })
  if (shown !== null) console.log(`fuzz: ${shown}`)
  for (const line of faults) console.error(`fuzz: ${line}`)
  console.log(JSON.stringify(figures))
  process.exitCode = faults.length > 0 ? 1 : 0
} catch (error) {
  console.error(error)
  console.log(JSON.stringify({ seed, schemathesis: null }))
  process.exitCode = 1
}
