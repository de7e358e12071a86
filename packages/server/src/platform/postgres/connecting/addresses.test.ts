// Addresses of PostgreSQL are read as libpq reads them, and what cannot work is refused by a sentence without the address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddresses } from './addresses.ts'

test('one host stays as it was written', () => {
  for (const url of ['postgres:///db', 'postgresql://u:p%40x@h/db?sslmode=verify-full', 'postgres://[::1]:5433/db'])
    assert.deepEqual(readAddresses(url).urls, [url])
  assert.equal(readAddresses('postgres://u:p%40x@h/db').password, 'p@x')
  assert.equal(readAddresses('postgres://u@h/db').password, '')
  assert.equal(readAddresses('postgres://h/db').connectTimeoutMs, 10_000)
})

test('several hosts become an address each, in their order, with what else was said', () => {
  const cases: Record<string, string[]> = {
    'postgresql://u:p@h1:6001,h2:6002/db?target_session_attrs=read-write': [
      'postgresql://u:p@h1:6001/db',
      'postgresql://u:p@h2:6002/db',
    ],
    'postgresql://u:p@h1,h2:6002,[::1]/db?sslmode=require': [
      'postgresql://u:p@h1:5432/db?sslmode=require',
      'postgresql://u:p@h2:6002/db?sslmode=require',
      'postgresql://u:p@[::1]:5432/db?sslmode=require',
    ],
    'postgresql:///db?host=a,b&port=1,2&user=u': ['postgresql://a:1/db?user=u', 'postgresql://b:2/db?user=u'],
    'postgresql:///db?host=a,b&port=7': ['postgresql://a:7/db', 'postgresql://b:7/db'],
    'postgresql://u@/db?host=/run/pg,::1': [
      'postgresql:///db?host=%2Frun%2Fpg&port=5432&user=u',
      'postgresql://u@[::1]:5432/db',
    ],
    'postgresql://h/db?target_session_attrs=primary': ['postgresql://h/db'],
  }
  for (const [url, urls] of Object.entries(cases)) assert.deepEqual(readAddresses(url).urls, urls, url)
})

test('which server will do is read as libpq reads it', () => {
  for (const role of ['any', 'read-write', 'primary'] as const)
    assert.equal(readAddresses(`postgres://a,b/db?target_session_attrs=${role}`).role, role)
  assert.equal(readAddresses('postgres://a,b/db').role, 'any')
})

test('a host among several has three seconds, or those of connect_timeout', () => {
  assert.equal(readAddresses('postgres://a,b/db').connectTimeoutMs, 3_000)
  assert.equal(readAddresses('postgres://a,b/db?connect_timeout=7').connectTimeoutMs, 7_000)
  assert.equal(readAddresses('postgres://a,b/db?connect_timeout=1').connectTimeoutMs, 2_000)
})

test('what cannot work is refused by a sentence that repeats nothing of the address', () => {
  const cases: Record<string, RegExp> = {
    'mysql://u:hunter2@h/db': /starts with postgres:\/\//,
    hunter2: /starts with postgres:\/\//,
    'postgres://u:hunter2@a,b/db?port=1,2,3': /2 hosts and 3 ports/,
    'postgres://u:hunter2@a,,b/db': /a name for each host/,
    'postgres://u:hunter2@a:x/db': /valid hosts and ports/,
    'postgres://u:hunter2@a:77777,b/db': /valid hosts and ports/,
    'postgres://u:hunter2@a/db?target_session_attrs=hunter2': /read-write, primary or any/,
    'postgres://u:hunter2@a/db?connect_timeout=soon': /whole seconds/,
  }
  for (const role of ['standby', 'prefer-standby', 'read-only'])
    cases[`postgres://u:hunter2@a,b/db?target_session_attrs=${role}`] = /every replica writes/
  for (const [url, sentence] of Object.entries(cases))
    assert.throws(
      () => readAddresses(url),
      (error: unknown) => error instanceof RangeError && sentence.test(error.message) && !/hunter2/.test(error.message),
      url,
    )
})
