// `npm run fuzz`: no request makes a 5xx, an answer that openapi.json does not declare, or an echo of the request. Ends with one
// line of JSON; exit code 1 when a request did, or when the run proves nothing.

import { readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { runCampaign } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const { requests, seed, story } = readOptions(
  'fuzz',
  'Sends stories of valid, near-valid and hostile requests to every operation.',
  {
    requests: wholeNumber('requests to send', 5_000),
    seed: seedOption(),
    story: wholeNumber('tells only this story of the seed', undefined, 0),
  },
)

const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => interrupt.abort(new Error(`ended by ${signal}`)))

console.log(`fuzz: ${requests} requests, --seed ${seed}`)
try {
  const say = (line: string): void => console.log(line)
  const only = story === undefined ? {} : { story }
  const { examples, ...figures } = await runCampaign({ requests, seed, say, signal: interrupt.signal, ...only })
  const faults = faultsOf(figures)
  for (const line of [...examples, ...faults]) console.error(`fuzz: ${line}`)
  console.log(JSON.stringify(figures))
  process.exitCode = faults.length > 0 ? 1 : 0
} catch (error) {
  console.error(error)
  console.log(JSON.stringify({ requests: 0, serverErrors: null, schemaBreaks: null, echoes: null, seed }))
  process.exitCode = 1
}
