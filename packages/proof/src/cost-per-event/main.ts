// `npm run cost-per-event -- [--events N]`: what one event with one delivery costs, for the capacity plan in
// docs/operating.md. Linux only: processor times are read from /proc. Ends with one line of JSON.

import { parseArgs } from 'node:util'
import { version } from '../../../server/src/platform/version.ts'
import { describeMachine } from '../bench/machine.ts'
import { measureCost } from './measure.ts'

const { values } = parseArgs({ options: { events: { type: 'string', default: '10000' } } })
const events = Number(values.events)
if (!Number.isSafeInteger(events) || events < 100) {
  console.error('cost-per-event takes --events N, a whole number from 100.')
  process.exit(64)
}
const { postgresVersion, ...cost } = await measureCost(events)
console.log(JSON.stringify({ ...cost, version, machine: describeMachine(postgresVersion) }))
