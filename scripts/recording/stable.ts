// Replaces random values and times in recorded responses, so that two recordings are equal. The replacement of an ID is the
// same in all responses of a recording.

import { createHash } from 'node:crypto'

type Recording = {
  /** Start of the recording, in milliseconds since 1970. */
  startedAt: number
  /** The URLs in the examples, by the URL that the server had. */
  addresses: Readonly<Record<string, string>>
}

const recordedAt = Date.parse('2026-01-31T12:00:00.000Z')
const times = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z/g
const halfHourMs = 1_800_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** Replacements of random texts, by pattern. */
const drawnTexts: readonly (readonly [form: RegExp, text: string])[] = [
  [/^\d{12}$/, '900123456789'],
  [/^\d{15}$/, '021000020000001'],
  [
    /^[1-9A-HJ-NP-Za-km-z]{86,88}$/,
    '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi5eyzUn1uTVBYhbLjZ6ewEXcwGvMYbFyqkPNFexampLe1',
  ],
  [/^2\d{3}-\d{2}-\d{2}$/, '2026-01-31'],
  [/^whsec_.+$/, 'whsec_ZXhhbXBsZSBvbmx5LCBub3QgYSBzZWNyZXQgISE='],
  [/^svc_test_.+$/, 'svc_test_ExampleOnlyNotTheKeyOfAnyone1234567'],
]

/** Replacements of values that differ between runs, by member name. */
const drawnMembers: Readonly<Record<string, unknown>> = {
  'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
  'webhook-timestamp': '1769860800',
  'webhook-signature': 'v1,ZXhhbXBsZSBvbmx5LCBub3QgYSBzaWduYXR1cmUgISE=',
  checkedAt: '2026-01-31T12:00:00.000Z',
  lastFour: '4567',
  durationMs: 42,
  position: 28,
  backlog: 0,
  p50Ms: 50,
  p95Ms: 150,
  bytes: 94_371_840,
  tookMs: 12,
  lastEventAt: '2026-01-31T12:00:00.000Z',
  operationsUnknown: 0,
  calls: {
    total: 42,
    failed: 0,
    byOutcome: { ok: 42 },
    lastSuccessAt: '2026-01-31T12:00:00.000Z',
    lastFailureAt: null,
  },
  reconciliation: {
    failures: 0,
    nextAt: '2026-01-31T12:05:00.000Z',
    rereadCoveredTo: '2026-01-31T11:00:00.000Z',
    informationRequestsCoveredTo: '2026-01-31T12:00:00.000Z',
    informationRequestsRefusedSince: null,
  },
  eventsWaiting: 0,
  // In the order of their arrival, which is that of the network.
  messages: [
    {
      eventId: 'evt_9fad949aca73a0e48934b830ee',
      deliveryId: 'dlv_3fae940022eac38a379c8fed89c384be',
      eventType: 'virtual_account.payment.received',
      externalUserId: 'user-4711',
      attempt: 1,
      receivedAt: '2026-01-31T12:00:19.000Z',
      verified: true,
      duplicate: false,
      status: 200,
    },
  ],
  deliveriesWaiting: 0,
  oldestWaitingSeconds: 0,
  oldestHeldSeconds: 0,
  oldestOperationSeconds: 0,
  lanes: [],
  replicas: [
    {
      id: '5f0c2b8e9d1a4c37',
      version: '0.1.0',
      role: 'all',
      startedAt: '2026-01-31T11:00:00.000Z',
      aliveUntil: '2026-01-31T12:03:00.000Z',
      lanes: 0,
      isSelf: true,
    },
  ],
  tables: [{ name: 'events', bytes: 8_388_608, rows: 12_000, partitions: 6 }],
  partitions: [
    {
      table: 'events',
      from: '2026-01-26T00:00:00.000Z',
      to: '2026-02-02T00:00:00.000Z',
      bytes: 2_097_152,
      rows: 3_000,
    },
  ],
}

/** Creates the function that writes the same IDs, times and URLs into each recording of a response. */
export function stabilizer({ startedAt, addresses }: Recording): (answer: unknown) => unknown {
  const idOf = idDrawer()
  return (answer) => {
    const timeOf = timeShifter(answer, startedAt)
    return mapped(answer, (text) => {
      const drawn = drawnTexts.find(([form]) => form.test(text))
      if (drawn) return drawn[1]
      const local = Object.entries(addresses).reduce((made, [from, to]) => made.replaceAll(from, to), text)
      return local
        .replace(times, timeOf)
        .replace(/http:\/\/127\.0\.0\.1:\d+\/issuer\b/, 'https://login.acme.example')
        .replace(/svc_link_[\w-]{43}/, 'svc_link_ExampleOnlyNotACodeThatOpensAnyConsole12345')
        .replace(/svc_onboarding_link_[\w-]{43}/, 'svc_onboarding_link_ExampleOnlyNotACodeThatOpensAnyPage12345678')
        .replace(/\brfi_[0-9A-Za-z]{22}\b/g, 'rfi_2KWPBgLlAfxdpx2AI54pPJ')
        .replace(/\b([a-z_]+_)[0-9a-z]{26}(?:[0-9a-z]{6})?\b/g, idOf)
        .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) => idOf(id, ''))
    })
  }
}

/** A midnight is the beginning of a day. Hours away is a length that the service chose; what happened during the recording is a second apart. */
function timeShifter(answer: unknown, startedAt: number): (text: string) => string {
  const found = JSON.stringify(answer).match(times) ?? []
  const moments = [...new Set(found.map((text) => Date.parse(text)))].sort((one, other) => one - other)
  return (text) => {
    const time = Date.parse(text)
    if (time % dayMs === 0) return new Date(dayOf(recordedAt) + time - dayOf(startedAt)).toISOString()
    const isFar = Math.abs(time - startedAt) > halfHourMs
    const shift = isFar ? Math.round((time - startedAt) / hourMs) * hourMs : moments.indexOf(time) * 1_000
    return new Date(recordedAt + shift).toISOString()
  }
}

const dayOf = (time: number): number => Math.floor(time / dayMs) * dayMs

/** Draws an id of the same form for each that is new, by how many of its prefix there were before. */
function idDrawer(): (id: string, prefix: string) => string {
  const drawn = new Map<string, string>()
  const counts = new Map<string, number>()
  return (id, prefix) => {
    const known = drawn.get(id)
    if (known !== undefined) return known
    const count = counts.get(prefix) ?? 0
    counts.set(prefix, count + 1)
    const digits = createHash('sha512').update(`${prefix}${count}`).digest('hex')
    const made =
      prefix === ''
        ? `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-8${digits.slice(15, 18)}-${digits.slice(18, 30)}`
        : `${prefix}${digits.slice(0, id.length - prefix.length)}`
    drawn.set(id, made)
    return made
  }
}

function mapped(node: unknown, change: (text: string) => string): unknown {
  if (typeof node === 'string') return change(node)
  if (Array.isArray(node)) return node.map((item) => mapped(item, change))
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(node).map(([name, value]) => [name, drawnMembers[name] ?? mapped(value, change)])
  const made = Object.fromEntries(members)
  // The bytes of the payload, with what was put into it.
  return 'rawBody' in made && 'payload' in made ? { ...made, rawBody: JSON.stringify(made.payload) } : made
}
