// `npm run proof:failover`: PostgreSQL under Patroni and etcd, with the files of deploy/patroni/. Hosts die and hang under load.

import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from '../rig/databases/database.ts'
import { patroni } from '../rig/databases/patroni/plan.ts'
import { oneOf, positive, seedOption, wholeNumber } from '../rig/options.ts'
import { proof } from '../rig/proof.ts'

/** `dies`: every process of the host is killed. `hangs`: all are stopped, connections stay open, and the host resumes later. */
type Accident = 'primary dies' | 'primary hangs' | 'standby hangs'

const awayMsMax = 30_000
/** Longer than Patroni's ttl, so another host is primary when the frozen host resumes. */
const hangMs = 25_000
/** Between a fully recovered cluster and the next accident. */
const quietSeconds = 8
/** Sent but not yet recorded when the primary dies: at most one batch at each of two endpoints. */
const duplicatesPerAccident = 64

/** @returns milliseconds until the other host was primary; null if the primary did not change */
const cause: Readonly<Record<Accident, (cluster: Cluster) => Promise<number | null>>> = {
  async 'primary dies'(cluster) {
    const dead = await cluster.primary()
    dead.kill()
    const promotedMs = await cluster.promotedAfter(dead)
    dead.start()
    return promotedMs
  },
  async 'primary hangs'(cluster) {
    const frozen = await cluster.primary()
    frozen.freeze()
    const promotedMs = await cluster.promotedAfter(frozen)
    await delay(Math.max(0, hangMs - promotedMs))
    frozen.thaw()
    return promotedMs
  },
  async 'standby hangs'(cluster) {
    const primary = await cluster.primary()
    const standby = cluster.hosts.find((host) => host !== primary)
    standby?.freeze()
    await delay(hangMs)
    standby?.thaw()
    return null
  },
}

type Given = { times: number; hangs: number; standby: number }
const accidentsOf = ({ times, hangs, standby }: Given): Accident[] => [
  ...Array<Accident>(times).fill('primary dies'),
  ...Array<Accident>(hangs).fill('primary hangs'),
  ...Array<Accident>(standby).fill('standby hangs'),
]

await proof({
  script: 'proof:failover',
  promise: 'A primary that is lost takes nothing acknowledged with it, and writes go on within 30 s.',
  holds: [1, 4, 20],
  options: {
    times: wholeNumber('how often the primary dies', 5, 0),
    hangs: wholeNumber('how often the primary hangs instead, until another has its place', 0, 0),
    standby: wholeNumber('how often the standby hangs', 0, 0),
    by: oneOf<'hosts' | 'haproxy'>('how replicas find the primary: both hosts in DATABASE_URL, or HAProxy', [
      'hosts',
      'haproxy',
    ]),
    replicas: wholeNumber('replicas', 3),
    rate: positive('events a second', 30),
    calls: positive('API calls a second', 10),
    seed: seedOption(),
  },
})
  .scenario({
    world: ({ by, replicas }) => ({ database: patroni({ by }), replicas }),
    load: ({ rate, calls }) => ({
      eventsPerSecond: rate,
      stories: { callsPerSecond: calls },
      watchReadiness: true,
      // A statement on a hanging host times out after 12 s, and a call may have done some work before that.
      answerMsMax: 20_000,
    }),
    async faults({ options, world: { database }, load, log, wait, span, count }) {
      for (const accident of accidentsOf(options)) {
        await span(accident, async () => {
          const promotedMs = await cause[accident](database)
          log(promotedMs === null ? `${accident}; the primary went on` : `${accident}; another after ${promotedMs} ms`)
          await database.untilSynchronous()
          await wait(quietSeconds)
        })
        count('accidents')
        log(load.summary())
      }
    },
    expect: (options) => ({
      allow: { duplicate: accidentsOf(options).length * duplicatesPerAccident },
      gapMsMax: { event: awayMsMax, write: awayMsMax, delivery: awayMsMax, ready: awayMsMax },
      none: ['readyz unanswered'],
      atLeast: { accidents: Math.max(1, accidentsOf(options).length) },
    }),
  })
  .start()
