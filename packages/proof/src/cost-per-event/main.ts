// `npm run cost-per-event`: what one event with one delivery costs at an even pace and at the most, for the capacity plan in
// /docs/run/scale. Linux only: processor times are read from /proc. Ends with one line of JSON.

import { version } from '../../../server/src/platform/version.ts'
import { describeMachine } from '../bench/machine.ts'
import { readOptions, text, wholeNumber } from '../rig/options.ts'
import { measureCosts } from './measure.ts'

const options = readOptions('cost-per-event', 'Measures what one event with one delivery costs. Linux only.', {
  rates: text(
    'A,B',
    'events a second, each measured by itself; 0 is as many as the server takes (50,200,0)',
    '50,200,0',
  ),
  seconds: wholeNumber('length of each measurement', 20),
  events: wholeNumber('events of the measurement at the most', 10_000, 100),
  replicas: wholeNumber('processes that share the work', 1),
  processes: wholeNumber('processes of each replica, on one port', 1),
})
const { postgresVersion, costs } = await measureCosts({
  rates: options.rates.split(',').map(Number),
  seconds: options.seconds,
  eventsAtTheMost: options.events,
  replicas: options.replicas,
  processes: options.processes,
  say: (line) => console.log(line),
})
const { replicas, processes } = options
console.log(JSON.stringify({ replicas, processes, costs, version, machine: describeMachine(postgresVersion) }))
