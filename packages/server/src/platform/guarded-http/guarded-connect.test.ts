// The guard in the connector connects only to checked addresses, even if a name changes its address.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { buildConnector } from 'undici'
import { AddressRefused, dnsLookup, type GuardOptions, guardedConnector, LookupFailed } from './guarded-connect.ts'

// A listener on loopback that nothing may reach unless the test allows it. It stores what each connection sent.
const canary = createServer((socket) => {
  const connection = { sent: '' }
  canarySaw.push(connection)
  socket.on('data', (chunk) => {
    connection.sent += chunk.toString('latin1')
  })
  socket.on('error', () => {})
})
let canarySaw: { sent: string }[] = []
let canaryPort = 0

/**
 * Returns what reached the canary so far. Connections are accepted in order, so one of the test's connections marks the
 * end.
 */
async function reachedCanary(): Promise<{ sent: string }[]> {
  const mark = createConnection(canaryPort, '127.0.0.1').end('mark')
  await once(mark.resume(), 'close')
  return canarySaw.filter(({ sent }) => sent !== 'mark')
}

before(async () => {
  canary.listen(0, '127.0.0.1')
  await once(canary, 'listening')
  canaryPort = (canary.address() as AddressInfo).port
})
beforeEach(() => {
  canarySaw = []
})
after(() => canary.close())

const base = { allowLoopback: false, connectTimeoutMs: 1_000, lookup: async () => ['127.0.0.1'] }
const publicAddress = '1.1.1.1'

type Dialled = { hostname: string; servername: string | undefined; host: string | undefined }

/** Replaces undici's connector in tests that check the address without leaving this machine. */
function recordingDial(errorCode = 'ECONNREFUSED') {
  const dialled: Dialled[] = []
  const dial: buildConnector.connector = ({ hostname, servername, host }, callback) => {
    dialled.push({ hostname, servername, host })
    callback(Object.assign(new Error('recorded'), { code: errorCode }), null)
  }
  return { dial, dialled }
}

function connect(url: string, options: Partial<GuardOptions> = {}): Promise<Socket> {
  const { protocol, hostname, host, port } = new URL(url)
  const target = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port }
  return new Promise((resolve, reject) => {
    guardedConnector({ ...base, ...options })(target, (error, socket) => (error ? reject(error) : resolve(socket)))
  })
}

const codeIs = (code: string) => (error: unknown) => (error as { code?: string }).code === code

describe('refusal', () => {
  test('a name with any address that is not public is refused, and none of its addresses is dialled', async () => {
    const mixtures = [
      ['127.0.0.1'],
      [publicAddress, '127.0.0.1'],
      [publicAddress, '10.0.0.1'],
      [publicAddress, '::1'],
      [publicAddress, '64:ff9b::7f00:1'],
      ['2606:4700::1111', '::ffff:169.254.169.254'],
      [publicAddress, '::8.8.8.8'],
      [publicAddress, 'not an address'],
      [publicAddress, 'fe80::1%eth0'],
    ]
    for (const addresses of mixtures) {
      const { dial, dialled } = recordingDial()
      const attempt = connect(`https://hook.example:${canaryPort}/`, { lookup: async () => addresses, dial })
      await assert.rejects(attempt, AddressRefused, addresses.join(' '))
      assert.deepEqual(dialled, [])
    }
  })

  test('a literal is checked although no name is looked up', async () => {
    const lookup = () => assert.fail('a literal was looked up')
    const hosts = [
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '10.0.0.1',
      '[fd00:ec2::254]',
    ]
    for (const host of hosts) {
      await assert.rejects(connect(`https://${host}:${canaryPort}/`, { lookup }), AddressRefused, host)
      await assert.rejects(connect(`http://${host}:${canaryPort}/`, { lookup }), AddressRefused, host)
    }
    assert.deepEqual(await reachedCanary(), [])
  })

  test('a refusal names no address', async () => {
    const error = await connect('https://hook.example', { lookup: async () => ['10.9.8.7'] }).catch((e: unknown) => e)
    assert.ok(error instanceof AddressRefused)
    assert.ok(!`${error.message}${JSON.stringify(error)}`.includes('10.9.8.7'))
  })

  test('plain http is not spoken to a public address', async () => {
    const { dial, dialled } = recordingDial()
    for (const allowLoopback of [false, true]) {
      const options = { allowLoopback, dial, lookup: async () => [publicAddress] }
      await assert.rejects(connect('http://hook.example', options), AddressRefused)
    }
    assert.deepEqual(dialled, [])
  })

  test('sandbox mode lets through loopback and nothing else that is private', async () => {
    const socket = await connect(`http://hook.example:${canaryPort}`, { allowLoopback: true })
    assert.equal(socket.remoteAddress, '127.0.0.1')
    socket.destroy()
    for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', 'fd00::1']) {
      const options = { allowLoopback: true, lookup: async () => ['127.0.0.1', address] }
      await assert.rejects(connect(`http://hook.example:${canaryPort}`, options), AddressRefused, address)
    }
  })
})

describe('the address that was checked is the one that is dialled', () => {
  test('a name that answers publicly and then privately is asked once, and the canary sees nothing', async () => {
    const answers = [[publicAddress], ['127.0.0.1'], ['127.0.0.1']]
    const lookup = async () => answers.shift() ?? []
    const { dial, dialled } = recordingDial()
    await assert.rejects(connect(`https://flip.example:${canaryPort}/`, { lookup, dial }), codeIs('ECONNREFUSED'))
    assert.deepEqual(dialled, [
      { hostname: publicAddress, servername: 'flip.example', host: `flip.example:${canaryPort}` },
    ])
    assert.equal(answers.length, 2)
    // The next connection resolves the name again and is rejected.
    await assert.rejects(connect(`https://flip.example:${canaryPort}/`, { lookup, dial }), AddressRefused)
    assert.equal(dialled.length, 1)
    assert.deepEqual(await reachedCanary(), [])
  })

  test('a socket that reached another address is destroyed before a byte is sent', async () => {
    const real = buildConnector({ allowH2: false, timeout: 1_000 })
    // Simulates a transparent proxy, or a bug in the connector.
    const diverted: buildConnector.connector = ({ servername: _, ...target }, callback) =>
      real({ ...target, protocol: 'http:', hostname: '127.0.0.1' }, callback)
    const options = { lookup: async () => [publicAddress], dial: diverted }
    await assert.rejects(connect(`https://hook.example:${canaryPort}/`, options), AddressRefused)
    assert.deepEqual(await reachedCanary(), [{ sent: '' }])
  })

  test('an IPv4-mapped answer is dialled as the IPv4 address it stands for', async () => {
    const { dial, dialled } = recordingDial()
    await assert.rejects(connect('https://hook.example/', { lookup: async () => ['::ffff:1.1.1.1'], dial }))
    assert.equal(dialled[0]?.hostname, '1.1.1.1')
  })
})

describe('several addresses', () => {
  const lookup = async () => ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4', '1.1.1.5']

  test('the next is tried when one cannot be reached, and at most three are', async () => {
    const { dial, dialled } = recordingDial('EHOSTUNREACH')
    await assert.rejects(connect('https://hook.example/', { lookup, dial }), codeIs('EHOSTUNREACH'))
    assert.deepEqual(
      dialled.map(({ hostname }) => hostname),
      ['1.1.1.1', '1.1.1.2', '1.1.1.3'],
    )
  })

  test('a host that was reached and failed is not tried at its next address', async () => {
    const { dial, dialled } = recordingDial('CERT_HAS_EXPIRED')
    await assert.rejects(connect('https://hook.example/', { lookup, dial }), codeIs('CERT_HAS_EXPIRED'))
    assert.equal(dialled.length, 1)
  })

  test('an unreachable first address on loopback does not keep the second from being used', async () => {
    const options = { allowLoopback: true, lookup: async () => ['127.0.0.2', '127.0.0.1'] }
    const socket = await connect(`http://hook.example:${canaryPort}`, options)
    assert.equal(socket.remoteAddress, '127.0.0.1')
    socket.destroy()
  })
})

describe('lookup', () => {
  test('failing, empty or silent, it fails the connection and names no host', async () => {
    const lookups: GuardOptions['lookup'][] = [
      async () => [],
      () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND secret.example'), { code: 'ENOTFOUND' })),
      () => new Promise(() => {}),
    ]
    for (const lookup of lookups) {
      const error = await connect('https://secret.example/', { lookup, connectTimeoutMs: 20 }).catch((e: unknown) => e)
      assert.ok(error instanceof LookupFailed)
      assert.ok(!error.message.includes('secret'))
    }
  })

  test('localhost and the names under it are loopback without asking anyone', async () => {
    const lookup = dnsLookup({ servers: ['127.0.0.1:9'], timeoutMs: 50 })
    assert.deepEqual(await lookup('localhost'), ['127.0.0.1', '::1'])
    assert.deepEqual(await lookup('api.localhost'), ['127.0.0.1', '::1'])
    assert.deepEqual(await lookup('localhost.'), ['127.0.0.1', '::1'])
  })

  test('a name server is asked for both families, and a flipped answer is seen at the next connection', async () => {
    const answers = [['1.2.3.4'], ['127.0.0.1']]
    const nameServer = await startNameServer(() => answers.shift() ?? [])
    try {
      const lookup = dnsLookup({ servers: [`127.0.0.1:${nameServer.port}`], timeoutMs: 500 })
      const { dial, dialled } = recordingDial()
      const url = `https://flip.example:${canaryPort}/`
      await assert.rejects(connect(url, { lookup, dial }), codeIs('ECONNREFUSED'))
      assert.deepEqual(
        dialled.map(({ hostname }) => hostname),
        ['1.2.3.4'],
      )
      await assert.rejects(connect(url, { lookup, dial }), AddressRefused)
      assert.deepEqual(
        nameServer.questionTypes.sort((a, b) => a - b),
        [1, 1, 28, 28],
      )
      assert.deepEqual(await reachedCanary(), [])
      await assert.rejects(connect(url, { lookup, dial }), LookupFailed)
    } finally {
      nameServer.close()
    }
  })
})

/** Responds to A questions from `nextAddresses`, and to AAAA questions with no data (RFC 1035, 4.1). */
async function startNameServer(nextAddresses: () => string[]) {
  const socket = createSocket('udp4')
  const questionTypes: number[] = []
  socket.on('message', (query, from) => {
    const typeAt = query.indexOf(0, 12) + 1
    const type = query.readUInt16BE(typeAt)
    questionTypes.push(type)
    const records = (type === 1 ? nextAddresses() : []).map((address) =>
      Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    )
    const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0])
    query.copy(header, 0, 0, 2)
    socket.send(Buffer.concat([header, query.subarray(12, typeAt + 4), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, questionTypes, close: () => socket.close() }
}
