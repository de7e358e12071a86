// The provider's signature: its published vector, and that nothing about it can be changed by a single byte.

import assert from 'node:assert/strict'
import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { parseProviderPublicKey, verifyProviderSignature } from './signature.ts'

// The vector the provider publishes in its guide to webhook signatures.
const vector = {
  timestamp: '1705854411204',
  body: '{"message":"Hello World!"}',
  signature: [
    'jz/0dmHJ63FAzacGutrDTEoq+iSz/PHm/ugdooXDQu5NwuVIT2LmZGjsnCsBHgR9Py6OBP9zurzW4dHgygU4EDqmMPTUOvhvndYb4lWt+TY6',
    '6LihaFI2whL6DAf/jb1QjYjNU0A6x9SLzC45dgE6X7zTDUM+2Z+scG/WEQf6SxQMt4E2sEipl5PqMK5lYUe3otdJV+X2c9D64bGwCEE7QSia',
    '+Vhozg8QNOQEk/rdz2IEONIg6oC43CeiN4E2kF9XLAGuy9uAHx9O9OJH5ZPLJZjyo4VcXYeWQgxaQ1gZ1Qu6hEEzgiPSff/1nou58dm4bIIa',
    'zgCWli/mO0NyGcpfFw==',
  ].join(''),
  publicKeyLines: [
    '-----BEGIN PUBLIC KEY-----',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtqsEE4eI7EmzhcquGJXt',
    'LX9PMK0UH6Kl1WIR21sv8HtueG8BuvvpP3MiN7ltzmIhS8KaynCjN4l+620PnXeu',
    'xWG+CSnEdkinL9hCqbEid5vv9zl0j9LWiJx3FkKHqADU7cgm46aa8dKUdIQYF2X+',
    'O7WmyLkC4wUM/mWhBPMsIQBznashRMZxx7XJjsVp27ACUE4eNIjEXbVYN6U8jSbU',
    'hG++CfL8xXu+GHDqKmFE6Po6HnuURvLFVnCtE3mXXBcVFlPy+octfx8nOMLT3X8O',
    '9UehIigJ34o2yMm/Fq3HUJzg2BsiAiGgtr0vmeoV9Q7upSNj9TuOumAzZFi4pYA+',
    'qwIDAQAB',
    '-----END PUBLIC KEY-----',
  ],
}
const vectorKey = parseProviderPublicKey(vector.publicKeyLines.join('\n'))
const own = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2_048 })

function check(parts: {
  timestamp?: string
  signature?: string
  header?: string | undefined
  body?: Buffer
  keys?: KeyObject[]
  nowMs?: number
}) {
  const { timestamp = vector.timestamp, signature = vector.signature } = parts
  return verifyProviderSignature({
    header: 'header' in parts ? parts.header : `t=${timestamp},v0=${signature}`,
    rawBody: parts.body ?? Buffer.from(vector.body),
    publicKeys: parts.keys ?? [vectorKey],
    nowMs: parts.nowMs ?? Number(timestamp),
  })
}

const flipped = (bytes: Buffer, index: number) => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(index) ^ 0x01, index)
  return copy
}

describe('the published vector', () => {
  test('verifies', async () => {
    assert.equal(await check({}), 'verified')
  })

  test('fails when any byte of the signature is changed', async () => {
    const signature = Buffer.from(vector.signature, 'base64')
    assert.equal(signature.length, 256)
    for (const index of signature.keys()) {
      assert.equal(await check({ signature: flipped(signature, index).toString('base64') }), 'wrong', `byte ${index}`)
    }
  })

  test('fails when any byte of the body is changed, added or removed', async () => {
    const body = Buffer.from(vector.body)
    for (const index of body.keys()) assert.equal(await check({ body: flipped(body, index) }), 'wrong', `byte ${index}`)
    assert.equal(await check({ body: Buffer.from(`${vector.body}\n`) }), 'wrong')
    assert.equal(await check({ body: body.subarray(0, -1) }), 'wrong')
    assert.equal(await check({ body: Buffer.alloc(0) }), 'wrong')
  })

  test('fails when any digit of the time is changed, even if the changed time is now', async () => {
    for (const [index, digit] of [...vector.timestamp].entries()) {
      const timestamp =
        vector.timestamp.slice(0, index) + ((Number(digit) + 1) % 10) + vector.timestamp.slice(index + 1)
      assert.equal(await check({ timestamp }), 'wrong', `digit ${index}`)
    }
    assert.equal(await check({ timestamp: `0${vector.timestamp}` }), 'wrong')
  })

  test('fails under another key, and under none', async () => {
    assert.equal(await check({ keys: [own.publicKey] }), 'wrong')
    assert.equal(await check({ keys: [] }), 'wrong')
  })

  test('verifies when one of several keys made it, in any place', async () => {
    assert.equal(await check({ keys: [vectorKey, own.publicKey] }), 'verified')
    assert.equal(await check({ keys: [own.publicKey, other.publicKey, vectorKey] }), 'verified')
  })
})

describe('time', () => {
  const signedAt = Number(vector.timestamp)

  test('a signature up to ten minutes old, or ahead, is accepted', async () => {
    assert.equal(await check({ nowMs: signedAt + 600_000 }), 'verified')
    assert.equal(await check({ nowMs: signedAt - 600_000 }), 'verified')
  })

  test('an older one is stale, and so is one further in the future', async () => {
    assert.equal(await check({ nowMs: signedAt + 600_001 }), 'stale')
    assert.equal(await check({ nowMs: signedAt - 600_001 }), 'stale')
  })
})

describe('the hash', () => {
  const signedWith = (data: Buffer | string) =>
    sign('sha256', Buffer.from(data), { key: own.privateKey, padding: constants.RSA_PKCS1_PADDING }).toString('base64')
  const signed = `${vector.timestamp}.${vector.body}`

  test('is applied twice: a signature over the data hashed once does not verify', async () => {
    const twice = signedWith(createHash('sha256').update(signed).digest())
    assert.equal(await check({ signature: twice, keys: [own.publicKey] }), 'verified')
    assert.equal(await check({ signature: signedWith(signed), keys: [own.publicKey] }), 'wrong')
  })

  test('covers the raw bytes, whether they are UTF-8 or not', async () => {
    const body = Buffer.from([0xff, 0x00, 0xc3])
    const digest = createHash('sha256').update(`${vector.timestamp}.`).update(body).digest()
    const signature = signedWith(digest)
    assert.equal(await check({ body, signature, keys: [own.publicKey] }), 'verified')
    const replaced = Buffer.from(body.toString('utf8'))
    assert.equal(await check({ body: replaced, signature, keys: [own.publicKey] }), 'wrong')
  })

  test('another padding with the right key does not verify', async () => {
    const digest = createHash('sha256').update(signed).digest()
    const pss = sign('sha256', digest, { key: own.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING })
    assert.equal(await check({ signature: pss.toString('base64'), keys: [own.publicKey] }), 'wrong')
  })
})

describe('the header', () => {
  const { timestamp: t, signature: v0 } = vector

  test('may order its parts freely and carry parts we do not know', async () => {
    assert.equal(await check({ header: `v0=${v0},t=${t}` }), 'verified')
    assert.equal(await check({ header: `t=${t},v0=${v0},v1=abc` }), 'verified')
  })

  test('may have blanks around its commas', async () => {
    for (const header of [`t=${t}, v0=${v0}`, `t=${t} ,v0=${v0}`, `t=${t},\tv0=${v0} `, ` v0=${v0} , t=${t}`])
      assert.equal(await check({ header }), 'verified', JSON.stringify(header.slice(0, 30)))
  })

  test('may carry several signatures, as while the key is changed: any right one counts, in any place', async () => {
    const digest = createHash('sha256').update(`${t}.${vector.body}`).digest()
    const [old, foreign] = [own, other].map(({ privateKey }) => sign('sha256', digest, privateKey).toString('base64'))
    const header = (...signatures: (string | undefined)[]) => ({
      header: [`t=${t}`, ...signatures.map((signature) => `v0=${signature}`)].join(','),
    })
    assert.equal(await check(header(v0, old)), 'verified')
    assert.equal(await check(header(old, v0)), 'verified')
    assert.equal(await check({ ...header(old, v0), keys: [own.publicKey] }), 'verified')
    assert.equal(await check(header(foreign, foreign, old, v0)), 'verified')
    assert.equal(await check(header(old, foreign)), 'wrong')
    assert.equal(await check(header(old, foreign, old, foreign, v0)), 'malformed', 'each costs a check')
  })

  test('is absent only when it was not sent', async () => {
    assert.equal(await check({ header: undefined }), 'absent')
    assert.equal(await check({ header: '' }), 'malformed')
  })

  test('is malformed in any other form', async () => {
    const parts = [
      't',
      't=',
      `t=${t}`,
      `v0=${v0}`,
      `t=${t},v0=`,
      `t=${t};v0=${v0}`,
      `t=${t} v0=${v0}`,
      `T=${t},V0=${v0}`,
    ]
    const times = ['-1', '1e12', '0x1', '1.5', ' 1', '１', '9'.repeat(16)].map((text) => `t=${text},v0=${v0}`)
    const signatures = [v0.slice(0, -1), `${v0}=`, v0.replaceAll('/', '_'), `${v0} x`, `=${v0}`, '!'].map(
      (text) => `t=${t},v0=${text}`,
    )
    const doubled = [`t=${t},t=${t},v0=${v0}`, `t=${t},v0=${v0},v0=!`, `t=${t},v0=${v0}, t=${t},v0=${v0}`]
    const long = [`t=${t},v0=${'A'.repeat(8_192)}`, `${'a=b,'.repeat(100)}t=${t},v0=${v0}`]
    for (const header of [...parts, ...times, ...signatures, ...doubled, ...long]) {
      assert.equal(await check({ header, nowMs: Number(t) }), 'malformed', header.slice(0, 60))
    }
  })
})

describe('the public key', () => {
  const pem = vector.publicKeyLines.join('\n')
  const der = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).toString('hex')

  test('is read with real or escaped line ends, of either kind', () => {
    for (const end of ['\n', '\r\n', '\\n', '\\r\\n']) {
      const text = vector.publicKeyLines.join(end) + end
      assert.equal(der(parseProviderPublicKey(text)), der(vectorKey), JSON.stringify(end))
    }
  })

  test('is refused, without being repeated, unless it is one RSA public key of 2,048 bits or more', () => {
    const spki = { type: 'spki', format: 'pem' } as const
    const refused = [
      '',
      'MIIBIjANBgkq',
      pem.replace('MIIB', 'MIIC'),
      `${pem}\n${pem}`,
      own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export(spki).toString(),
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export(spki).toString(),
      generateKeyPairSync('ed25519').publicKey.export(spki).toString(),
    ]
    for (const text of refused) {
      assert.throws(
        () => parseProviderPublicKey(text),
        (error: Error) => /^The provider public key must /.test(error.message) && !error.message.includes('MII'),
        text.slice(0, 60),
      )
    }
  })
})
