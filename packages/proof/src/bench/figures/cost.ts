// P8: what an event with one delivery costs, at an even pace and at the most, by one process and by two that share a port.

import type { Cost } from '../../cost-per-event/cost.ts'
import { measureCosts } from '../../cost-per-event/measure.ts'
import type { Bench } from '../bench.ts'
import { figuresOf, type Measured, type Ratio } from '../ratio.ts'

const paces = [
  { rate: 50, cpuMsMax: 4 },
  { rate: 200, cpuMsMax: 2.5 },
] as const

export async function measureCost({ scale, say }: Bench): Promise<Measured> {
  if (process.platform !== 'linux') return { ratios: [], speeds: [] } // processor times are read from /proc
  const plan = { seconds: scale.pacedSeconds * 4, eventsAtTheMost: scale.events, replicas: 1, say }
  const one = await measureCosts({ ...plan, rates: [...paces.map(({ rate }) => rate), 0], processes: 1 })
  const two = await measureCosts({ ...plan, rates: [0], processes: 2 })
  const costs = [...one.costs, ...two.costs]
  const ratios = paces.map(
    ({ rate, cpuMsMax }): Ratio => ({
      id: 'P8',
      part: `CPU at ${rate}/s`,
      what: `processor time of server and PostgreSQL an event, ${rate} events/s`,
      goal: { atMost: cpuMsMax, unit: 'ms' },
      figures: figuresOf(costs.filter((cost) => cost.rate === rate).map(cpuMs)),
    }),
  )
  return { ratios, speeds: [], costs }
}

const cpuMs = ({ serverMicroseconds, postgresMicroseconds }: Cost): number =>
  (serverMicroseconds + postgresMicroseconds) / 1_000
