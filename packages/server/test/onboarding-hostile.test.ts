// Submissions of a hostile page are rejected with a clear code, repeated nowhere, and slow down no other page.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { type Answer, assertError, dataOf, until } from './caller.ts'
import { announceBody } from './http/announced-body.ts'
import { largeBody, newPage, type Page, png } from './onboarding-page.ts'
import { kycBody, userPath } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { KYC_SUBMISSIONS_PER_MINUTE: '1000' } })
after(() => world.stop())
const api = `${world.url}/onboard/api`
const front = 'identifying_information[1].image_front'

/** A complete submission without its pictures, which are sent as files. */
async function readyPage(): Promise<{ user: string; page: Page; data: object }> {
  const { user, page } = await newPage(world)
  const body = kycBody(await world.business.acceptTerms(user), user)
  const papers = body['identifying_information'] as Record<string, unknown>[]
  const bare = papers.map(({ image_front: _front, image_back: _back, ...paper }) => paper)
  return { user, page, data: { ...body, identifying_information: bare } }
}

type Part = { name: string; filename?: string; type?: string; content: Buffer | string }

/** Written by hand: a browser would escape what is hostile. */
function bytesOf(parts: readonly Part[]): Buffer {
  const lines = parts.flatMap(({ name, filename = 'photo.png', type = 'image/png', content }) => [
    `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
    content,
    '\r\n',
  ])
  return Buffer.concat([...lines, '--b--\r\n'].map((part) => Buffer.from(part)))
}

const sendBytes = (page: Page, raw: Buffer): Promise<Answer> =>
  page.ask('POST', '/submission', undefined, { raw, headers: { 'content-type': 'multipart/form-data; boundary=b' } })

const sendParts = (page: Page, parts: readonly Part[]): Promise<Answer> => sendBytes(page, bytesOf(parts))

const dataPart = (data: object): Part => ({ name: 'data', type: 'application/json', content: JSON.stringify(data) })

test('the name of a part that leads out of the submission is refused, and not repeated', async () => {
  const { page, data } = await readyPage()
  for (const name of [
    '../../x',
    '..\\..\\x.file',
    '<script>alert(1)</script>',
    `${'a'.repeat(10_000)}.file`,
    `documents[0].file\0.png`,
    '__proto__.file',
    'constructor.prototype.file',
    `${front}\u202egnp`,
    '',
  ]) {
    const answer = await sendParts(page, [dataPart(data), { name, content: png }])
    assertError(answer, 400, 'invalid_multipart')
    for (const text of ['<script>', '..', '\0', 'aaaa', '\u202e']) assert.ok(!answer.text.includes(text), name)
  }
  assert.equal(({} as Record<string, unknown>)['file'], undefined)
})

test('the name of a file and its declared type are not believed, whatever they are', async () => {
  for (const [filename, type] of [
    ['../../etc/passwd', 'image/png'],
    ['<script>alert(1)</script>.png', 'text/html'],
    [`${'x'.repeat(2_000)}.png`, 'image/png'],
    ['photo.png%00.html', 'application/x-php; charset="<script>"'],
  ] as const) {
    const { user, page, data } = await readyPage()
    const answer = await sendParts(page, [dataPart(data), { name: front, filename, type, content: png }])
    assert.equal(answer.status, 200, answer.text)
    await until(
      'the approval',
      async () => dataOf(await world.business.call('GET', userPath(user))).kycStatus === 'approved',
    )
  }
})

test('a file of a wrong type, an empty one, and one that is too large are refused by their place', async () => {
  const { page, data } = await readyPage()
  const large = Buffer.alloc(11 * 1024 * 1024)
  large.set(png)
  for (const content of [
    '<html><script>alert(1)</script></html>',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    'MZ\x90\0\x03',
    'GIF89a',
    '',
    large,
  ]) {
    const answer = await sendParts(page, [dataPart(data), { name: front, content }])
    assertError(answer, 400, 'invalid_kyc_data', { details: [front] })
    assert.ok(!answer.text.includes('alert'))
  }
  const largest = Buffer.alloc(33 * 1024 * 1024)
  assertError(await sendParts(page, [dataPart(data), { name: front, content: largest }]), 413, 'payload_too_large')
})

test('more parts than a submission has, and parts in the place of its JSON, are refused', async () => {
  const { page, data } = await readyPage()
  const many = Array.from({ length: 200 }, (_, at) => ({ name: `documents[${at}].file`, content: png }))
  assertError(await sendParts(page, [dataPart(data), ...many]), 400, 'invalid_multipart')
  assertError(await sendParts(page, [dataPart(data), dataPart(data)]), 400, 'invalid_multipart')
  assertError(await sendParts(page, [{ name: front, content: png }]), 400, 'invalid_multipart')
})

/**
 * Processor time of this process before another page has its state: at most about 150 ms, including the attackers and
 * the sandbox provider. Elapsed time may be ten times that while other tests run, so it only bounds a wait for another
 * upload.
 */
const max = { computedMs: 500, passedMs: 5_000 }
const readsMin = 60

/** Reads the state on a separate connection: a client queues a request behind the rejected body before it. */
async function readState(page: Page, agent: Agent): Promise<{ computedMs: number; passedMs: number }> {
  const before = process.threadCpuUsage()
  const begunMs = performance.now()
  const headers = { authorization: `Bearer ${page.token}` }
  const [response] = (await once(get(`${api}/state`, { agent, headers }), 'response')) as [IncomingMessage]
  await response.resume().toArray()
  assert.equal(response.statusCode, 200)
  const { user, system } = process.threadCpuUsage(before)
  return { computedMs: (user + system) / 1000, passedMs: performance.now() - begunMs }
}

test('while pages send 250,000 members and 28 MiB again and again, another reads its state as quickly as before', async (t) => {
  const [hostile, quiet] = [await newPage(world), await newPage(world)]
  const members = `{"first_name":"A",${Array.from({ length: 250_000 }, (_, at) => `"k${at}":1`).join()}}`
  // Bytes are created once: this process also measures, and creating 28 MiB would distort the result.
  const large = Buffer.from(JSON.stringify(largeBody(null, hostile.user, 10 * 1024 * 1024)))
  const image = { name: 'image', content: Buffer.alloc(20 * 1024 * 1024) }
  const multipart = bytesOf([dataPart({ type: 'individual' }), image])
  const { page } = hostile
  const attack = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${page.token}`, 'content-length': members.length }
    // Refused while it is still being sent: the rest would be read and dropped, at one pace for the whole process.
    const whole = await announceBody('POST', `${api}/submission`, headers, members.slice(0, 200_000))
    assertError(whole, 413, 'too_many_members')
    for (const [type, body] of [
      ['application/json', large],
      ['multipart/form-data; boundary=b', multipart],
    ] as const) {
      const sent = { authorization: `Bearer ${page.token}`, 'content-type': type, 'content-length': body.length }
      assertError(await announceBody('POST', `${api}/submission`, sent, body), 422, 'tos_not_accepted')
    }
  }
  const agent = new Agent({ keepAlive: true })
  const reads: Awaited<ReturnType<typeof readState>>[] = []
  let isOver = false
  const reading = (async () => {
    while (!isOver) reads.push(await readState(quiet.page, agent))
  })()
  while (reads.length < readsMin) await attack()
  isOver = true
  await reading
  agent.destroy()
  for (const kind of ['computedMs', 'passedMs'] as const) {
    const most = Math.max(...reads.map((read) => read[kind]))
    t.diagnostic(`${reads.length} reads: ${kind} at most ${most.toFixed(1)}`)
    assert.ok(most < max[kind], `${kind} was ${most}`)
  }
})
