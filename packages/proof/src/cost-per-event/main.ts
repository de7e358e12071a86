// `npm run cost-per-event`: what one event with one delivery costs, for the capacity plan in /docs/operate/operating. Linux only:
// processor times are read from /proc. Ends with one line of JSON.

import { version } from '../../../server/src/platform/version.ts'
import { describeMachine } from '../bench/machine.ts'
import { readOptions, wholeNumber } from '../command-line.ts'
import { measureCost } from './measure.ts'

const { events } = readOptions('cost-per-event', 'Measures what one event with one delivery costs. Linux only.', {
  events: wholeNumber('events to measure', 10_000, 100),
})
const { postgresVersion, ...cost } = await measureCost(events)
console.log(JSON.stringify({ ...cost, version, machine: describeMachine(postgresVersion) }))
