// `causeway dev` when a supervisor ends everything at once: launcher, database and emulator hear it in the same moment.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../server/test/caller.ts'
import { familyOf, isAlive, startCli, stateFolder } from './process.ts'

// It takes one second. Before the end of the database was announced it took for ever.
const stopMsMax = 15_000

const home = await stateFolder()
const env = { CAUSEWAY_HOME: home.path, PORT: '0', SANDBOX_PORT: '0' }
after(() => home[Symbol.asyncDispose]())

const tellAll = (pids: readonly number[]): void => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGTERM')
}

// First the launcher hears it, then the processes below it: a database that dies before is as good as crashed.
for (const order of ['launcher first', 'database and emulator first'] as const) {
  test(`told to stop all at once, ${order}, every process ends within seconds and no database is revived`, async () => {
    const dev = startCli(['dev'], env)
    await dev.says('Ctrl-C stops everything')
    const family = familyOf(dev.pid)
    assert.ok(family.length >= 3, 'itself, the database with its own processes, and the emulator')
    const toldAt = performance.now()
    tellAll(order === 'launcher first' ? family : family.toReversed())
    const { code, stdout } = await dev.ended
    assert.ok(performance.now() - toldAt < stopMsMax)
    assert.equal(code, 0)
    assert.match(stdout, /^Stopped\. Data is kept in /m)
    await until('the end of every process', () => family.every((pid) => !isAlive(pid)))
  })
}
