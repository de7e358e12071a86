// `npm run fuzz`: no request causes a 5xx, a response that openapi.json does not declare, or an echo of the request. Ends with one
// line of JSON; exit code 1 if a request did, or if the run proves nothing.

import { attackWithSchemathesis } from '../fuzz/campaign.ts'
import { lackOfSchemathesis } from '../fuzz/schemathesis.ts'
import { readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { runCampaign } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const options = readOptions(
  'fuzz',
  'Sends stories of valid, near-valid and hostile requests to every operation; then Schemathesis sends its own.',
  {
    requests: wholeNumber('requests to send', 5_000),
    schemathesis: wholeNumber('requests of Schemathesis, about', 2_000),
    seed: seedOption(),
    story: wholeNumber('sends only this story of the seed, without Schemathesis', undefined, 0),
  },
)
const { requests, seed, story } = options

const interrupt = new AbortController()
const { signal } = interrupt
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => interrupt.abort(new Error(`ended by ${name}`)))

console.log(`fuzz: ${requests} requests, --seed ${seed}`)
try {
  const say = (line: string): void => console.log(line)
  const only = story === undefined ? {} : { story }
  const { examples, ...figures } = await runCampaign({ requests, seed, say, signal, ...only })
  const faults = faultsOf(figures)
  for (const line of [...examples, ...faults]) console.error(`fuzz: ${line}`)
  const bySchemathesis = story === undefined ? await second() : null
  for (const line of bySchemathesis?.faults ?? []) console.error(`fuzz: ${line}`)
  console.log(JSON.stringify({ ...figures, schemathesis: bySchemathesis?.figures ?? null }))
  process.exitCode = faults.length + (bySchemathesis?.faults.length ?? 0) > 0 ? 1 : 0
} catch (error) {
  console.error(error)
  console.log(JSON.stringify({ requests: 0, serverErrors: null, schemaBreaks: null, echoes: null, seed }))
  process.exitCode = 1
}

async function second() {
  const lack = lackOfSchemathesis()
  if (lack) {
    console.log(`fuzz: skipped Schemathesis: ${lack}`)
    return null
  }
  const report = await attackWithSchemathesis(options.schemathesis, seed, signal)
  if (report.shown !== null) console.log(report.shown)
  return report
}
