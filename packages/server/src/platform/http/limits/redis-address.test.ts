// How REDIS_URL is read: a server, or Sentinels with their master; and what is refused.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRedisAddress } from './redis-address.ts'

describe('REDIS_URL', () => {
  test('one server keeps its address', () => {
    for (const url of ['redis://127.0.0.1:6379', 'rediss://user:a%2Fb@redis.example:6380/2'])
      assert.deepEqual(readRedisAddress(url), { kind: 'server', url })
  })

  test('Sentinels: hosts, master, database, and logins of Redis and of the Sentinels', () => {
    assert.deepEqual(readRedisAddress('redis+sentinel://a.example:26380,10.0.0.2,[::1]:26381/mymaster'), {
      kind: 'sentinels',
      sentinels: [
        { host: 'a.example', port: 26380 },
        { host: '10.0.0.2', port: 26379 },
        { host: '::1', port: 26381 },
      ],
      master: 'mymaster',
      database: 0,
      tls: false,
      login: {},
      sentinelLogin: {},
    })
    const full = 'rediss+sentinel://us%3Aer:p%40ss@a/m-1.x/3?sentinel_username=s&sentinel_password=t%26u'
    assert.deepEqual(readRedisAddress(full), {
      kind: 'sentinels',
      sentinels: [{ host: 'a', port: 26379 }],
      master: 'm-1.x',
      database: 3,
      tls: true,
      login: { username: 'us:er', password: 'p@ss' },
      sentinelLogin: { username: 's', password: 't&u' },
    })
    assert.deepEqual(readRedisAddress('redis+sentinel://:only@a/m'), {
      ...(readRedisAddress('redis+sentinel://a/m') ?? {}),
      login: { password: 'only' },
    })
  })

  const wrong = [
    '',
    'http://a',
    'redis://',
    'redis://127.0.0.1:99999',
    'redis+sentinel://a:26379',
    'redis+sentinel:///mymaster',
    'redis+sentinel://a:0/mymaster',
    'redis+sentinel://a:70000/mymaster',
    'redis+sentinel://a,,b/mymaster',
    'redis+sentinel://a b/mymaster',
    'redis+sentinel://[zz]/mymaster',
    'redis+sentinel://user@a/mymaster',
    'redis+sentinel://:%zz@a/mymaster',
    'redis+sentinel://a:b:c@h/mymaster',
    'redis+sentinel://a/mymaster/x',
    'redis+sentinel://a/mymaster?password=b',
    `redis+sentinel://${'a,'.repeat(20)}a/mymaster`,
  ]
  for (const text of wrong) test(`"${text}" is refused`, () => assert.equal(readRedisAddress(text), null))
})
