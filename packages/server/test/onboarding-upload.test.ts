// A submission of the onboarding page in pieces: an interrupted upload goes on, is judged as if it had come whole, is bounded
// before it is read, and leaves nothing behind.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type SendPiece, uploadPieces } from '../../onboarding/src/upload.ts'
import { kycBody as kycLimits, uploadPieceBytes } from '../src/platform/http/limits.ts'
import { assertError } from './api-contract.ts'
import { announceBody } from './http/announced-body.ts'
import { clearFaults, dataOf, fault, userPath } from './http/onboarding-answers.ts'
import { openPage, type Page, pageOf } from './onboarding-page.ts'
import {
  asBytes,
  beginPiece,
  inPieces,
  largeBody,
  pathOf,
  put,
  putAll,
  startReplica,
  submitPieces,
} from './onboarding-pieces.ts'
import { acceptTerms, newUser, testWorld, until } from './test-world.ts'

const world = await testWorld({ env: { KYC_SUBMISSIONS_PER_MINUTE: '1000' } })
after(() => world.stop())
const { uploads } = world.server.deps
const nothing = { pages: 0, places: 0, reading: 0 }

async function newPage(): Promise<{ user: string; page: Page; linkId: string }> {
  const user = await newUser(world)
  const link = dataOf(await world.call('POST', userPath(user, '/onboarding-links'), {}))
  return { user, page: await openPage(world, link), linkId: link.id }
}

/** A page whose end-user has accepted the terms, and a submission of some seven pieces. */
async function readyPage() {
  const { user, page, linkId } = await newPage()
  return { user, page, linkId, upload: inPieces(largeBody(await acceptTerms(world, user), user)) }
}

const thereOf = async (page: Page, digest: string): Promise<number[]> =>
  dataOf(await page.ask('GET', `/uploads/${digest}`)).pieces

test('a submission with one piece lost and one repeated arrives as if it had come whole, and nothing is kept of it', async () => {
  const { user, page, upload } = await readyPage()
  const all = [...upload.pieces.keys()]
  assert.deepEqual(await thereOf(page, upload.digest), [])
  for (const index of all.filter((each) => each !== 2)) {
    const { pieces } = dataOf(await put(page, upload, index))
    assert.ok(pieces.includes(index))
  }
  const half = beginPiece(world.facts.baseUrl, page, upload, 2)
  await until('the piece to be read', () => uploads.load.reading === 1)
  half.leave()
  await until('the end of the piece', () => uploads.load.reading === 0)
  assertError(await submitPieces(page, upload), 409, 'upload_incomplete')
  assert.deepEqual(
    await thereOf(page, upload.digest),
    all.filter((each) => each !== 2),
  )
  for (const index of [1, 2, 2]) assert.equal((await put(page, upload, index)).status, 200)
  dataOf(await submitPieces(page, upload))
  assert.deepEqual(uploads.load, nothing)
  assert.deepEqual(await thereOf(page, upload.digest), [])
  await until('the approval', async () => dataOf(await world.call('GET', userPath(user))).kycStatus === 'approved')
})

test('pieces with another digest are no submission, and are dropped', async () => {
  const { page, upload } = await readyPage()
  await putAll(page, upload)
  await put(page, upload, 1, Buffer.alloc(uploadPieceBytes, 'x'))
  assertError(await submitPieces(page, upload), 409, 'upload_incomplete', { message: /digest/ })
  assert.deepEqual(uploads.load, nothing)
})

test('a page has nothing of what another page has sent, and cannot end it', async () => {
  const [{ page, upload }, other] = [await readyPage(), await newPage()]
  await putAll(page, upload)
  assert.deepEqual(await thereOf(other.page, upload.digest), [])
  assertError(await submitPieces(other.page, upload), 409, 'upload_incomplete')
  const [own] = dataOf(await put(other.page, upload, 0)).pieces
  assert.equal(own, 0)
  assert.equal(dataOf(await put(other.page, upload, 1)).pieces.length, 2)
  assert.equal((await submitPieces(page, upload)).status, 200)
  assert.equal(uploads.load.pages, 1)
  uploads.drop(other.linkId, upload.digest)
})

test('a piece that is too large, or of a submission that is, is refused before it is read', async () => {
  const { page, upload } = await readyPage()
  const announce = (path: string, bytes: number) =>
    announceBody('PUT', `${world.facts.baseUrl}/onboard/api${path}`, {
      ...asBytes,
      authorization: `Bearer ${page.token}`,
      'content-length': bytes,
    })
  assertError(await announce(pathOf(upload, 0), uploadPieceBytes + 1), 413, 'payload_too_large')
  const beyond = { ...upload, bytes: kycLimits.bytesMax + 1 }
  assertError(await put(page, beyond, 0), 413, 'payload_too_large')
  assertError(await announce(pathOf(beyond, 0), uploadPieceBytes), 413, 'payload_too_large')
  const largest = { ...upload, bytes: kycLimits.bytesMax }
  for (const path of [
    pathOf(upload, upload.pieces.length),
    pathOf(largest, 128),
    pathOf(upload, 'x'),
    pathOf(upload, '01'),
  ])
    assertError(await announce(path, uploadPieceBytes), 400, 'invalid_path')
  for (const digest of [upload.digest.toUpperCase(), `${upload.digest}0`, '..%2f..%2fetc'])
    assertError(await announce(pathOf({ ...upload, digest }, 0), uploadPieceBytes), 400, 'invalid_path')
  for (const query of ['', '?bytes=0', '?bytes=1e9', `?bytes=${upload.bytes}&bytes=${upload.bytes}`])
    assertError(await announce(`/uploads/${upload.digest}/0${query}`, 10), 400, 'invalid_query')
  assert.deepEqual(uploads.load, nothing)
})

test('a piece of another size or media type is refused, announced or not', async () => {
  const { page, upload, linkId } = await readyPage()
  const short = Buffer.alloc(uploadPieceBytes - 1)
  for (const [index, content] of [
    [0, short],
    [0, Buffer.alloc(0)],
    [upload.pieces.length - 1, short],
  ] as const)
    assertError(await put(page, upload, index, content), 400, 'invalid_length')
  const asJson = { raw: '{}', headers: { 'content-type': 'application/json' } }
  assertError(await page.ask('PUT', pathOf(upload, 0), undefined, asJson), 415, 'unsupported_media_type')
  const unannounced = await fetch(`${world.facts.baseUrl}/onboard/api${pathOf(upload, 0)}`, {
    method: 'PUT',
    headers: { ...asBytes, authorization: `Bearer ${page.token}` },
    body: ReadableStream.from([Buffer.alloc(uploadPieceBytes), Buffer.alloc(1)]),
    duplex: 'half',
  } as RequestInit)
  assert.equal(unannounced.status, 413)
  assert.deepEqual(await thereOf(page, upload.digest), [])
  const bytesElsewhere = await page.ask('POST', '/submission', undefined, { raw: '{}', headers: asBytes })
  assertError(bytesElsewhere, 415, 'unsupported_media_type')
  uploads.drop(linkId, upload.digest)
})

test('what limits a submission that comes whole limits one in pieces, and it is gone with the refusal', async () => {
  const { page } = await newPage()
  const members = Array.from({ length: 250_000 }, (_, at) => `"k${at}":1`).join()
  for (const [body, code, status] of [
    [`{"first_name":"A",${members}}`, 'too_many_members', 413],
    [`{"first_name":"${'x'.repeat(600_000)}"}`, 'payload_too_large', 413],
    [`{"a":"data:${'A'.repeat(600_000)}","b":${'['.repeat(40)}${']'.repeat(40)}}`, 'json_too_deep', 400],
    [`{"a":"data:${'A'.repeat(600_000)}"`, 'invalid_json', 400],
    [`["data:",{"a":"data:${'A'.repeat(600_000)}"}]`, 'body_required', 400],
  ] as const) {
    const upload = inPieces(body)
    await putAll(page, upload)
    const inParts = await submitPieces(page, upload)
    assertError(inParts, status, code)
    const json = { raw: body, headers: { 'content-type': 'application/json' } }
    const whole = await page.ask('POST', '/submission', undefined, json)
    assert.equal(inParts.body.error.message, whole.body.error.message)
    assert.deepEqual(uploads.load, nothing)
  }
})

test('a submission that may succeed later keeps its pieces, one that may not does not', async () => {
  const { page, upload } = await readyPage()
  await putAll(page, upload)
  await fault(world, { path: '^/v0/customers$', mode: 'status', status: 503, times: 2 })
  assertError(await submitPieces(page, upload), 503, 'provider_unavailable')
  await clearFaults(world)
  assert.equal((await thereOf(page, upload.digest)).length, upload.pieces.length)
  assert.equal((await submitPieces(page, upload)).status, 200)
  const unagreed = await newPage()
  const refused = inPieces(largeBody(null, unagreed.user))
  await putAll(unagreed.page, refused)
  assertError(await submitPieces(unagreed.page, refused), 422, 'tos_not_accepted')
  assert.deepEqual(uploads.load, nothing)
})

test('pieces and a body as well are refused, and the pieces are still there', async () => {
  const { page, upload } = await readyPage()
  await putAll(page, upload)
  const both = await page.ask('POST', `/submission?upload=${upload.digest}`, { type: 'individual' })
  assertError(both, 400, 'invalid_query')
  assert.equal((await submitPieces(page, upload)).status, 200)
})

test('another submission of a page takes the place of the one before', async () => {
  const { page, upload, user, linkId } = await readyPage()
  await putAll(page, upload)
  const next = inPieces(largeBody(null, user, 500_000))
  await put(page, next, 0)
  assert.deepEqual(await thereOf(page, upload.digest), [])
  assert.equal(uploads.load.places, next.pieces.length)
  uploads.drop(linkId, next.digest)
})

test('who has no room is told when to come back, and an upload that has begun ends', async () => {
  const replica = await startReplica(world, { piecesMax: 8, readingMax: 3, readingOfPageMax: 2 })
  const [first, second] = [await readyPage(), await readyPage()]
  const [page, late] = [first, second].map((each) => pageOf(world, each.page.token, replica.url)) as [Page, Page]
  await put(page, first.upload, 0)
  const refused = await put(late, second.upload, 0)
  assertError(refused, 503, 'uploads_full')
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  await putAll(page, first.upload)
  assert.equal((await submitPieces(page, first.upload)).status, 200)
  const begun = [0, 1].map((index) => beginPiece(replica.url, late, second.upload, index))
  await until('the pieces to be read', () => replica.uploads.load.reading === 2)
  assertError(await put(late, second.upload, 2), 429, 'rate_limited')
  for (const each of begun) each.leave()
  await until('their end', () => replica.uploads.load.reading === 0)
  await putAll(late, second.upload)
  assert.equal((await submitPieces(late, second.upload)).status, 200)
  assert.deepEqual(replica.uploads.load, nothing)
  await replica.close()
})

test('a page that was silent for a while makes room for another that finds none, and begins again', async () => {
  const replica = await startReplica(world, { piecesMax: 8, silentMs: 0 })
  const [first, second] = [await readyPage(), await readyPage()]
  const [silent, late] = [first, second].map((each) => pageOf(world, each.page.token, replica.url)) as [Page, Page]
  await put(silent, first.upload, 0)
  await putAll(late, second.upload)
  assert.deepEqual(dataOf(await silent.ask('GET', `/uploads/${first.upload.digest}`)).pieces, [])
  assert.equal((await submitPieces(late, second.upload)).status, 200)
  await putAll(silent, first.upload)
  assert.equal((await submitPieces(silent, first.upload)).status, 200)
  await replica.close()
})

test('an upload with which nobody goes on is dropped, and so is one of a server that stops', async () => {
  const replica = await startReplica(world, { idleMs: 300 })
  const { page, upload } = await readyPage()
  await put(pageOf(world, page.token, replica.url), upload, 0)
  assert.equal(replica.uploads.load.pages, 1)
  await until('the end of the upload', () => replica.uploads.load.pages === 0)
  await replica.close()
  const stopping = await startReplica(world)
  await put(pageOf(world, page.token, stopping.url), upload, 0)
  assert.equal(stopping.uploads.load.pages, 1)
  await stopping.close()
  assert.deepEqual(stopping.uploads.load, nothing)
})

test('a link that was revoked takes no piece and no submission', async () => {
  const { page, upload, linkId } = await readyPage()
  await putAll(page, upload)
  dataOf(await world.call('DELETE', `/v0/onboarding-links/${linkId}`))
  for (const answer of [
    await put(page, upload, 0),
    await page.ask('GET', `/uploads/${upload.digest}`),
    await submitPieces(page, upload),
  ])
    assertError(answer, 401, 'onboarding_session_ended')
  uploads.drop(linkId, upload.digest)
})

/** Sends as the page does, over a network that the test disturbs. */
function senderOf({ token }: Page, disturb: (tries: number) => 'lost' | 'unanswered' | null, urls: string[]) {
  const seen = { tries: 0, bytes: 0 }
  const send: SendPiece = async (path, piece, signal) => {
    seen.tries += 1
    const trouble = disturb(seen.tries)
    if (trouble === 'lost') return null
    seen.bytes += piece?.size ?? 0
    const url = `${urls[seen.tries % urls.length]}/onboard/api${path}`
    const headers = { authorization: `Bearer ${token}`, ...(piece && asBytes) }
    const answer = await fetch(url, { method: piece ? 'PUT' : 'GET', headers, ...(piece && { body: piece }), signal })
    if (trouble === null) return answer
    await answer.body?.cancel()
    return null
  }
  return { seen, send }
}

const pause = async (): Promise<void> => {}

test('the page goes on over a network that loses every third request, and sends no piece twice that has arrived', async () => {
  const { page, upload } = await readyPage()
  const shown: number[] = []
  const disturb = (tries: number) => (tries % 6 === 0 ? 'lost' : tries % 3 === 0 ? 'unanswered' : null)
  const { seen, send } = senderOf(page, disturb, [world.facts.baseUrl])
  const options = { pause, onProgress: (sent: number) => void shown.push(sent) }
  assert.equal(await uploadPieces(upload.text, send, options), upload.digest)
  assert.equal(seen.bytes, upload.bytes)
  assert.equal(shown.at(-1), upload.bytes)
  assert.deepEqual(
    shown,
    shown.toSorted((one, other) => one - other),
  )
  assert.equal((await submitPieces(page, upload)).status, 200)
  assert.equal(await uploadPieces('{"small":true}', send, options), null)
})

test('the page goes on at a replica that has taken the place of the first, and gives up between two', async () => {
  const other = await startReplica(world)
  const { page, upload, linkId } = await readyPage()
  const options = { pause, onProgress: () => {} }
  const five = Array.from({ length: 5 }, () => other.url)
  const moving = senderOf(page, () => null, [...five, ...Array.from({ length: 50 }, () => world.facts.baseUrl)])
  assert.equal(await uploadPieces(upload.text, moving.send, options), upload.digest)
  assert.equal((await submitPieces(page, upload)).status, 200)
  const between = senderOf(page, () => null, [other.url, world.facts.baseUrl])
  const another = inPieces(largeBody(null, 'between', 1_200_000))
  assert.equal(await uploadPieces(another.text, between.send, options), null)
  assert.ok(between.seen.bytes < another.bytes, `${between.seen.bytes} of ${another.bytes} bytes were sent`)
  uploads.drop(linkId, another.digest)
  await other.close()
})

test('a submission of 32 MiB passes in pieces', async (t) => {
  const { page, user } = await newPage()
  const text = JSON.stringify(largeBody(null, user, 10 * 1024 * 1024))
  const rest = kycLimits.bytesMax - Buffer.byteLength(text) - '"selfie":"data:",'.length
  const upload = inPieces(text.replace('{', `{"selfie":"data:${'A'.repeat(rest)}",`))
  assert.equal(upload.bytes, kycLimits.bytesMax)
  assert.equal(upload.pieces.length, 128)
  const begunMs = performance.now()
  await putAll(page, upload)
  const sentMs = performance.now() - begunMs
  assertError(await submitPieces(page, upload), 422, 'tos_not_accepted')
  t.diagnostic(
    `128 pieces took ${Math.round(sentMs)} ms, the submission ${Math.round(performance.now() - begunMs - sentMs)} ms`,
  )
  assert.deepEqual(uploads.load, nothing)
})

test('pieces and other requests of a page are not in the request log of its business', async () => {
  const { page, upload, linkId } = await readyPage()
  await put(page, upload, 0)
  const made = await until('the log', async () => {
    const rows = dataOf(await world.call('GET', '/v0/requests?limit=100'))
    return rows.some(({ path }: { path: string }) => path.endsWith('/onboarding-links')) && rows
  })
  assert.deepEqual(
    made.filter(({ path }: { path: string }) => path.startsWith('/onboard')),
    [],
  )
  uploads.drop(linkId, upload.digest)
})
