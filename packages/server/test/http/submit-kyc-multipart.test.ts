// submitKyc by multipart/form-data: the same submission, with its images as files.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { idImage } from '../../../cli/src/demo/image.ts'
import { type Answer, assertError, dataOf, until } from '../caller.ts'
import { kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { KYC_SUBMISSIONS_PER_MINUTE: '1000' } })
after(() => world.stop())
const png = Buffer.from(idImage().split(',')[1] ?? '', 'base64')
const front = 'identifying_information[1].image_front'

/** A complete body without its images, which are sent as files. */
async function ready() {
  const user = await world.business.user()
  const body = kycBody(await world.business.acceptTerms(user), user)
  const papers = body['identifying_information'] as Record<string, unknown>[]
  const bare = papers.map(({ image_front: _, image_back: __, ...paper }) => paper)
  return { user, body: { ...body, identifying_information: bare } }
}

const file = (bytes: Uint8Array<ArrayBuffer> = Uint8Array.from(png), type = 'image/png') => new Blob([bytes], { type })

async function send(user: string, form: FormData, query = ''): Promise<Answer> {
  const response = await fetch(`${world.url}${userPath(user, '/submit-kyc')}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.business.apiKey}` },
    body: form,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

function formOf(data: unknown, files: Readonly<Record<string, Blob>> = {}): FormData {
  const form = new FormData()
  for (const [name, content] of Object.entries(files)) form.set(name, content)
  form.set('data', typeof data === 'string' ? data : JSON.stringify(data))
  return form
}

test('200 files stand where their parts are named after, and reach the provider as they are', async () => {
  const { user, body } = await ready()
  const form = formOf(body, { [front]: file(), 'identifying_information[1].image_back': file() })
  assert.equal(dataOf(await send(user, form)).kycStatus, 'under_review')
  await until(
    'the approval',
    async () => dataOf(await world.business.call('GET', userPath(user))).kycStatus === 'approved',
  )
})

test('200 the JSON may come as a file too, and first', async () => {
  const { user, body } = await ready()
  const form = new FormData()
  form.set('data', new Blob([JSON.stringify(body)], { type: 'application/json' }))
  form.set(front, file(), 'front.png')
  assert.equal(dataOf(await send(user, form)).kycStatus, 'under_review')
})

test('200 a repeat under one Idempotency-Key is the same answer, by whatever way the images come', async () => {
  const { user, body } = await ready()
  const shown = dataOf(await send(user, formOf(body, { [front]: file() }), '?dryRun=true'))
  const papers = body.identifying_information.map((paper, at) =>
    at === 1 ? { ...paper, image_front: idImage() } : paper,
  )
  const asJson = await world.business.call('POST', userPath(user, '/submit-kyc?dryRun=true'), {
    ...body,
    identifying_information: papers,
  })
  assert.deepEqual(dataOf(asJson), shown)
})

test('400 the type of a file is read from its bytes, not from its name or declared type', async () => {
  const { user, body } = await ready()
  const page = file(new TextEncoder().encode('<html>not a picture</html>'), 'image/png')
  assertError(await send(user, formOf(body, { [front]: page })), 400, 'invalid_kyc_data', {
    param: front,
    silentOn: ['not a picture'],
  })
  const large = new Uint8Array(11 * 1024 * 1024)
  large.set(png)
  assertError(await send(user, formOf(body, { [front]: file(large) })), 400, 'invalid_kyc_data', {
    details: { [front]: 'invalid_length' },
    param: front,
  })
})

test('400 places that are none, that are taken, or that the JSON does not have', async () => {
  const { user, body } = await ready()
  for (const [name, param] of [
    ['photo of the <script>', undefined],
    ['__proto__.file', '__proto__.file'],
    ['constructor.prototype.image', 'constructor.prototype.image'],
    ['identifying_information[7].image_front', 'identifying_information[7].image_front'],
    ['first_name', undefined],
    ['passport', undefined],
    ['documents[0].file', 'documents[0].file'],
  ] as const) {
    const answer = await send(user, formOf(body, { [name]: file() }))
    assert.equal(answer.status, 400, name)
    assert.equal(answer.body.error.code, 'invalid_multipart', name)
    assert.equal(answer.body.error.details[0].param, param ?? '')
    assert.ok(!answer.text.includes('<script>'))
  }
  assert.equal(({} as Record<string, unknown>)['file'], undefined)
})

test('400 no JSON, two of them, broken JSON, JSON that is no object', async () => {
  const { user, body } = await ready()
  const two = formOf(body)
  two.append('data', '{}')
  for (const [form, code] of [
    [new FormData(), 'invalid_multipart'],
    [two, 'invalid_multipart'],
    [formOf('{"type":'), 'invalid_json'],
    [formOf('[1]'), 'body_required'],
  ] as const) {
    if (form.keys().next().done) form.set(front, file())
    assertError(await send(user, form), 400, code, { param: null })
  }
})

test('400 a body that is no multipart, is cut short, or names no boundary', async () => {
  const { user } = await ready()
  for (const [type, raw] of [
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=b', 'not at all'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n{"type"'],
    ['multipart/form-data; boundary=b', ''],
  ] as const) {
    const answer = await world.business.call('POST', userPath(user, '/submit-kyc'), undefined, {
      raw,
      headers: { 'content-type': type },
    })
    assertError(answer, 400, 'invalid_multipart', { param: null })
  }
})

test('413 more than 32 MiB, whether announced or not', async () => {
  const { user, body } = await ready()
  const half = file(new Uint8Array(17 * 1024 * 1024))
  const form = formOf(body, { [front]: half, 'identifying_information[1].image_back': half })
  assertError(await send(user, form), 413, 'payload_too_large', { param: null })
  assert.equal(await sendUnannounced(user, 40), 413)
})

test('415 where no files are taken', async () => {
  const form = formOf({ externalUserId: 'x' })
  const response = await fetch(`${world.url}/v0/end-users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.business.apiKey}` },
    body: form,
  })
  assert.equal(response.status, 415)
  assert.equal(response.headers.get('accept-post'), 'application/json')
  const { user } = await ready()
  const other = await world.business.call('POST', userPath(user, '/submit-kyc'), undefined, {
    raw: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(other.headers.get('accept-post'), 'application/json, multipart/form-data')
})

/** Chunks of 1 MiB without a Content-Length, as many as it takes. @returns the status */
async function sendUnannounced(user: string, mebibytes: number): Promise<number> {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let told = ''
  socket.on('data', (bytes: Buffer) => {
    told += bytes.toString('latin1')
    const status = /^HTTP\/1\.1 (\d{3})/.exec(told)?.[1]
    if (status) resolve(Number(status))
  })
  socket.on('error', (error) => (told === '' ? reject(error) : undefined))
  socket.write(
    `POST ${userPath(user, '/submit-kyc')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.business.apiKey}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
  socket.write(chunk(Buffer.from('--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\n')))
  for (let sent = 0; sent < mebibytes && told === ''; sent++)
    await new Promise((done) => socket.write(chunk(Buffer.alloc(1024 * 1024)), done))
  const status = await promise
  socket.destroy()
  return status
}
