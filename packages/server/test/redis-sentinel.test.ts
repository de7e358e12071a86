// The counters of a Redis behind Sentinels: found by the master's name, counted at the new master after a failover, and
// never held back meanwhile.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { lacking } from '../../../scripts/test-needs.ts'
import { connectRedis, faultOfRedis, type Redis } from '../src/platform/http/limits/redis.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { startSentinels } from './redis-sentinels.ts'
import { startRedis } from './redis-server.ts'
import { until } from './test-world.ts'

const increase = `return redis.call('incr', KEYS[1])`
const count = (redis: Redis, key = 'k'): Promise<unknown> =>
  redis.commands.eval(increase, { keys: [key], arguments: [] })

/**
 * Counts, and again where there was no answer in the 75 ms that a request has: a machine that is full may take longer.
 * @returns the count, and how many requests had no answer
 */
async function counted(redis: Redis, key = 'k'): Promise<{ value: number; missed: number }> {
  let missed = 0
  const value = await until('a count', async () => {
    try {
      return Number(await count(redis, key))
    } catch {
      missed += 1
      return null
    }
  })
  return { value, missed }
}

async function open(url: string): Promise<Redis & Disposable & { logged: string[] }> {
  const logged: string[] = []
  const log = createLog('info', (line) => logged.push(line))
  const redis = await connectRedis(url, log)
  return { ...redis, logged, [Symbol.dispose]: () => redis.close() }
}

describe('Redis behind Sentinels', { skip: lacking('redis'), concurrency: 2 }, () => {
  test('a killed master: refused at once, then counted by its successor; the old one comes back and changes nothing', async () => {
    await using sentinels = await startSentinels()
    using redis = await open(sentinels.url)
    assert.equal(await count(redis), 1)
    const before = await sentinels.masterPort()
    await sentinels.servers[0].kill()
    let slowestMs = 0
    const took = await until('the successor counts', async () => {
      const began = performance.now()
      const counted = await count(redis).catch(() => null)
      slowestMs = Math.max(slowestMs, performance.now() - began)
      return typeof counted === 'number' && counted
    })
    assert.ok(took <= 2, `counted once, and not what was refused meanwhile: ${took}`)
    assert.ok(slowestMs < 500, `the slowest took ${slowestMs} ms`)
    assert.notEqual(await sentinels.settled(before), before)
    await sentinels.servers[0].start()
    await sentinels.servers[0].becomesCopy()
    const { value, missed } = await counted(redis)
    assert.ok(value > took && value <= took + 1 + missed, `the successor goes on from ${took}: ${value}`)
    assert.equal(await sentinels.servers[1].ask('GET', 'k'), `$1\r\n${value}\r\n`)
    for (const line of ['Redis is away', 'Redis is back'])
      assert.equal(
        redis.logged.filter((text) => text.includes(line)).length,
        missed === 0 ? 1 : 2,
        redis.logged.join(''),
      )
  })

  test('a master that hangs is left for its successor', async () => {
    await using sentinels = await startSentinels()
    using redis = await open(sentinels.url)
    await count(redis)
    const before = await sentinels.masterPort()
    sentinels.servers[0].freeze()
    await until('the successor counts', async () => Boolean(await count(redis, 'after').catch(() => null)))
    assert.match(await sentinels.servers[1].ask('EXISTS', 'after'), /^:1/)
    sentinels.servers[0].thaw()
    await sentinels.settled(before)
    await counted(redis, 'after')
  })

  test('without any Sentinel the master that serves goes on to count', async () => {
    await using sentinels = await startSentinels()
    using redis = await open(sentinels.url)
    await count(redis)
    await sentinels.killSentinels()
    assert.match((await faultOfRedis(sentinels.url)) ?? '', /^no Sentinel of REDIS_URL answers \(ECONNREFUSED\)$/)
    // Longer than the period in which they are asked.
    const end = performance.now() + 2_500
    while (performance.now() < end) {
      await count(redis)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.deepEqual(redis.logged, [])
  })

  test('passwords of Redis and of the Sentinels; what is wrong is told without them', async () => {
    await using sentinels = await startSentinels({ redis: 'hunter2', sentinel: 'hunter3' })
    using redis = await open(sentinels.url)
    assert.equal(await count(redis), 1)
    const { url } = sentinels
    assert.equal(await faultOfRedis(url), null)
    assert.equal(await faultOfRedis(url.replace('hunter2', 'other')), 'WRONGPASS')
    assert.match((await faultOfRedis(url.replace('=hunter3', '=other'))) ?? '', /WRONGPASS: give sentinel_password/)
    assert.match((await faultOfRedis(url.replace(/\?.*/, ''))) ?? '', /NOAUTH: give sentinel_password/)
    assert.match((await faultOfRedis(url.replace('/mymaster', '/other'))) ?? '', /watch no master of the name/)
  })

  test('a server where Sentinels should be, and nobody: said once, and a start does not wait', async () => {
    await using server = await startRedis()
    const url = server.url.replace('redis:', 'redis+sentinel:')
    assert.match((await faultOfRedis(`${url}/mymaster`)) ?? '', /the Sentinels answer ERR/)
    using redis = await open(`${url}/mymaster`)
    await assert.rejects(count(redis), /Redis is away/)
    assert.equal(redis.logged.filter((line) => line.includes('Redis is away')).length, 1)
  })
})
