// `npm run fuzz -- --requests N [--seed S] [--story I]`: no request makes a 5xx, an answer that openapi.json does not declare, or
// an echo of what was sent. Ends with one line of JSON; exit code 1 when one did, or when the run proves nothing.

import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Date.now() % 0x7fff_ffff) },
    story: { type: 'string' },
  },
})
const requests = Number(values.requests)
const seed = Number(values.seed)
const story = values.story === undefined ? undefined : Number(values.story)
if (![requests, seed, story ?? 0].every(Number.isSafeInteger) || requests < 1) {
  console.error('fuzz takes --requests N (from 1), --seed S and --story I, all whole numbers.')
  process.exit(64)
}

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
