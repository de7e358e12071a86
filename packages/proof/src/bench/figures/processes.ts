// P6 with two processes: what a second process on the same port adds, where the database has work as well and where it has none.
// Load, servers and database share the machine.

import { randomBytes } from 'node:crypto'
import { issueApiKey } from '../../../../server/src/businesses/api-keys.ts'
import { openBusiness, openDeployment } from '../../relay-world/deployment.ts'
import type { Bench } from '../bench.ts'
import { getRequest } from '../events.ts'
import { type Measured, Rounds } from '../ratio.ts'
import { callInTurns, openAccounts, turnsOfRound } from './calls.ts'

const endUsers = 50

export async function measureProcesses({ databases, scale }: Bench): Promise<Measured> {
  await using database = await databases.create('processes')
  await using deployment = await openDeployment(database.connection, { RATE_LIMIT_REQUESTS: '10000000' })
  const businessId = await openBusiness(
    deployment,
    Array.from({ length: endUsers }, () => randomBytes(8).toString('hex')),
  )
  const accountIds = await openAccounts(database.db, { businessId })
  const { key } = await issueApiKey(deployment.deps, businessId, { name: 'Measured' })
  const calls = { whoami: ['/v0/whoami'], row: accountIds.map((id) => `/v0/virtual-accounts/${id}`) }
  const rounds = new Rounds()
  for (let round = 0; round < scale.pairs; round++) {
    await using one = await deployment.serve()
    await using two = await deployment.serve({ REUSE_PORT: 'on' })
    await using beside = await deployment.serve({ REUSE_PORT: 'on', PORT: new URL(two.url).port })
    for (const [call, paths] of Object.entries(calls)) {
      const members = [one, two].map(({ url }, at) => ({
        name: `${call}, ${at === 0 ? 'one process' : 'two processes'}`,
        requests: paths.map((path) => getRequest(new URL(path, url), { authorization: `Bearer ${key}` })),
      }))
      await callInTurns(members, 1, scale.calls) // all code is compiled afterwards
      const speeds = await callInTurns(members, turnsOfRound, scale.calls)
      for (const [at, { name }] of members.entries()) rounds.note(name, speeds[at] ?? Number.NaN)
    }
    await Promise.all([one, two, beside].map((server) => server.terminate()))
  }
  const names = Object.keys(calls)
  return {
    ratios: names.map((call) => ({
      id: 'P6',
      part: `${call}, two processes`,
      what: `${call} by two processes on one port / by one process`,
      goal: { atLeast: null },
      figures: rounds.quotient(`${call}, two processes`, `${call}, one process`),
    })),
    speeds: names.flatMap((call) =>
      ['one process', 'two processes'].map((by) => ({
        what: `${call}, ${by}`,
        unit: '/s' as const,
        figures: rounds.of(`${call}, ${by}`),
      })),
    ),
  }
}
