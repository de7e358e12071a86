// The counters of a Redis behind Sentinels: found by the master's name, counted at the new master after a failover, and
// never blocked in between.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { lacking } from '../../../scripts/test-needs.ts'
import { connectRedis, faultOfRedis, type Redis } from '../src/platform/http/limits/redis.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { until } from './caller.ts'
import { startSentinels } from './redis-sentinels.ts'
import { startRedis } from './redis-server.ts'

const increase = `return redis.call('incr', KEYS[1])`
const count = (redis: Redis, key = 'k'): Promise<unknown> =>
  redis.commands.eval(increase, { keys: [key], arguments: [] })

type Opened = Redis & Disposable & { logged: string[] }

/**
 * Counts, and retries after a refusal.
 * @returns the count; how many requests had no response within 75 ms, which a busy machine may exceed, and may still
 * have been counted; and how long the slowest refusal took
 */
async function counted(redis: Redis, key = 'k'): Promise<{ value: number; late: number; slowestMs: number }> {
  let late = 0
  let slowestMs = 0
  const value = await until('a count', async () => {
    const began = performance.now()
    try {
      return Number(await count(redis, key))
    } catch (error) {
      slowestMs = Math.max(slowestMs, performance.now() - began)
      if (String(error).includes('no response')) late += 1
      return null
    }
  })
  return { value, late, slowestMs }
}

async function open(url: string): Promise<Opened> {
  const logged: string[] = []
  const log = createLog('info', (line) => logged.push(line))
  const redis = await connectRedis(url, log)
  return { ...redis, logged, [Symbol.dispose]: () => redis.close() }
}

/** Opens a connection and counts once, because a start does not wait for a slow Redis. The log of the time before is dropped. */
async function openCounting(url: string): Promise<Opened & { value: number }> {
  const redis = await open(url)
  const { value } = await counted(redis)
  redis.logged.length = 0
  return { ...redis, value }
}

describe('Redis behind Sentinels', { skip: lacking('redis'), concurrency: 2 }, () => {
  test('a killed master: refused at once, then counted by its successor; the old one comes back and changes nothing', async () => {
    await using sentinels = await startSentinels()
    using redis = await openCounting(sentinels.url)
    const before = await sentinels.masterPort()
    await sentinels.servers[0].kill()
    const successor = await counted(redis)
    const mostBefore = redis.value + 1 + successor.late
    assert.ok(successor.value <= mostBefore, `the successor has counted a refused request: ${successor.value}`)
    assert.ok(successor.slowestMs < 500, `the slowest took ${successor.slowestMs} ms`)
    assert.notEqual(await sentinels.settled(before), before)
    await sentinels.servers[0].start()
    await sentinels.servers[0].becomesCopy()
    const { value, late } = await counted(redis)
    const most = successor.value + 1 + late
    assert.ok(value > successor.value && value <= most, `the successor goes on from ${successor.value}: ${value}`)
    assert.equal(await sentinels.servers[1].ask('GET', 'k'), `$1\r\n${value}\r\n`)
    for (const line of ['Redis unavailable', 'Redis available again']) {
      const times = redis.logged.filter((text) => text.includes(line)).length
      assert.ok(times >= 1 && times <= 1 + successor.late + late, redis.logged.join(''))
    }
  })

  test('a master that hangs is left for its successor', async () => {
    await using sentinels = await startSentinels()
    using redis = await openCounting(sentinels.url)
    const before = await sentinels.masterPort()
    sentinels.servers[0].freeze()
    await counted(redis, 'after')
    assert.match(await sentinels.servers[1].ask('EXISTS', 'after'), /^:1/)
    sentinels.servers[0].thaw()
    await sentinels.settled(before)
    await counted(redis, 'after')
  })

  test('without any Sentinel the master that serves goes on to count', async () => {
    await using sentinels = await startSentinels()
    using redis = await openCounting(sentinels.url)
    await sentinels.killSentinels()
    assert.match((await faultOfRedis(sentinels.url)) ?? '', /^no Sentinel in REDIS_URL responds$/)
    // Longer than the period in which they are asked.
    const end = performance.now() + 2_500
    let late = 0
    while (performance.now() < end) {
      late += (await counted(redis)).late
      await delay(50)
    }
    assert.ok(redis.logged.length <= 2 * late, redis.logged.join(''))
  })

  test('passwords of Redis and of the Sentinels; what is wrong is told without them', async () => {
    await using sentinels = await startSentinels({ redis: 'hunter2', sentinel: 'hunter3' })
    using _ = await openCounting(sentinels.url)
    const { url } = sentinels
    assert.equal(await faultOfRedis(url), null)
    assert.equal(await faultOfRedis(url.replace('hunter2', 'other')), 'WRONGPASS')
    assert.match((await faultOfRedis(url.replace('=hunter3', '=other'))) ?? '', /WRONGPASS: give sentinel_password/)
    assert.match((await faultOfRedis(url.replace(/\?.*/, ''))) ?? '', /NOAUTH: give sentinel_password/)
    assert.match((await faultOfRedis(url.replace('/mymaster', '/other'))) ?? '', /do not know the master name/)
  })

  test('a server where Sentinels should be, and nobody: said once, and a start does not wait', async () => {
    await using server = await startRedis()
    const url = server.url.replace('redis:', 'redis+sentinel:')
    assert.match((await faultOfRedis(`${url}/mymaster`)) ?? '', /the Sentinels returned ERR/)
    using redis = await open(`${url}/mymaster`)
    await assert.rejects(count(redis), /Redis is unavailable/)
    assert.equal(redis.logged.filter((line) => line.includes('Redis unavailable')).length, 1)
  })
})
