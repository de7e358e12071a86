// Deliveries to receivers: allowed addresses, counted failures, order and number.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const attempt = 'packages/server/src/webhooks/delivery/attempt.ts'
const guard = 'packages/server/src/webhooks/delivery/sender/guarded-connect.ts'
const sender = 'packages/server/src/webhooks/delivery/sender/sender.ts'
const exchange = 'packages/server/src/webhooks/delivery/sender/exchange.ts'
const guarding = 'packages/server/src/webhooks/delivery/sender/guarded-connect.test.ts'
const sending = 'packages/server/src/webhooks/delivery/sender/sender.test.ts'
const showing = 'packages/server/test/http/get-delivery.test.ts'
const delivering = 'packages/server/test/relay-delivery.test.ts'

export const deliveryBugs: readonly PlantedBug[] = [
  {
    name: 'outcome-settled-without-the-fence',
    promise: 'whoever has lost a lane settles nothing in it',
    file: 'packages/server/src/webhooks/delivery/outcomes.store.ts',
    find: 'where (select l.owner = ${owner} and l.fence = i.fence from endpoint_lanes l where l.endpoint_id = i.endpoint_id)',
    replace: "where ${owner} <> ''",
    caughtBy: [{ file: 'packages/server/test/relay-lanes.test.ts', test: 'its former holder settles nothing' }],
  },
  {
    name: 'cookie-of-a-receiver-shown',
    promise: 'the headers of an answer are shown without its cookies',
    file: 'packages/server/src/webhooks/delivery/sender/response-text.ts',
    find: "new Set(['set-cookie', 'set-cookie2', 'authentication-info'])",
    replace: 'new Set()',
    caughtBy: [{ file: showing, test: 'each attempt shows the headers that were sent' }],
  },
  {
    name: 'headers-lost-by-a-repeat',
    promise: 'a repeat on demand keeps what is stored of the attempts before it',
    file: 'packages/server/src/webhooks/replay/store.ts',
    find: 'response_body, response_headers, response_sealed, sent_as,\n        detail, duration_ms, started_at\n',
    replace: "response_body, response_headers, response_sealed, '1 a b',\n        detail, duration_ms, started_at\n",
    caughtBy: [{ file: showing, test: 'each attempt shows the headers that were sent' }],
  },
  {
    name: 'sequence-with-gaps',
    promise: 'svc-sequence counts the events of an endpoint without a gap',
    file: 'packages/server/src/events/fan-out.sql.ts',
    find: 'set sequence = n.sequence + grown.by',
    replace: 'set sequence = n.sequence + grown.by + 1',
    caughtBy: [{ file: delivering, test: 'the sequence of an endpoint has no gaps from 1' }],
  },
  {
    name: 'redirect-followed',
    promise: 'no delivery is redirected: the address was checked, the next one was not',
    file: sender,
    find: '.dispatch({ method',
    replace: '.compose(interceptors.redirect({ maxRedirections: 1 })).dispatch({ method',
    also: [
      {
        file: sender,
        find: "import { Exchange, type SendOutcome } from './exchange.ts'",
        replace: "import { interceptors } from 'undici'\nimport { Exchange, type SendOutcome } from './exchange.ts'",
      },
    ],
    caughtBy: [{ file: sending, test: 'that redirects is not followed' }],
  },
  {
    name: 'only-the-first-address-checked',
    promise: 'no connection leaves to an address that is not public: every address of a name is checked',
    file: guard,
    find: 'for (const address of addresses) refuseUnlessAllowed',
    replace: 'for (const address of addresses.slice(0, 1)) refuseUnlessAllowed',
    caughtBy: [{ file: guarding, test: 'a name with any address that is not public is refused' }],
  },
  {
    name: 'literal-address-not-checked',
    promise: 'no connection leaves to an address that is not public, also when no name is looked up',
    file: guard,
    find: 'for (const address of addresses) refuseUnlessAllowed',
    replace: 'if (literal === null) for (const address of addresses) refuseUnlessAllowed',
    caughtBy: [{ file: guarding, test: 'a literal is checked although no name is looked up' }],
  },
  {
    name: 'checked-address-not-the-dialled-one',
    promise: 'the address that was checked is the one that is dialled: a name may answer differently the second time',
    file: guard,
    find: '{ ...target, hostname: address.text, servername }',
    replace: '{ ...target, servername }',
    caughtBy: [{ file: guarding, test: 'a name that answers publicly and then privately is asked once' }],
  },
  {
    name: 'peer-not-checked',
    promise: 'a connection that reached another address than the checked one is not used',
    file: guard,
    find: 'if (peer?.text === dialled.text) return socket',
    replace: 'if (peer?.text !== undefined || dialled.text) return socket',
    caughtBy: [{ file: guarding, test: 'a socket that reached another address is destroyed' }],
  },
  {
    name: 'special-range-taken-for-public',
    promise: 'no connection leaves to a special range, also one that the table of ranges leaves out',
    file: 'packages/server/src/platform/values/network-address.ts',
    find: "if (address.kind() === 'ipv6' && !address.match(globalUnicastIpv6)) return 'special'",
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/src/platform/values/network-address.test.ts',
        test: 'both ends of every special range are special',
      },
    ],
  },
  {
    name: 'answer-read-without-end',
    promise: 'of an answer no more is read than its cap, however long it is',
    file: exchange,
    find: 'if (this.#bytesRead > responseBytesMax) this.#end(this.#response())',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/src/webhooks/delivery/sender/sender-hostile.test.ts',
        test: 'by the cap on the body: the status counts',
      },
    ],
  },
  {
    name: 'our-fault-taken-for-the-receivers',
    promise: 'a fault of this machine says nothing about the receiver',
    file: exchange,
    find: 'error instanceof errors.ClientDestroyedError || isOurFault(error)',
    replace: 'error instanceof errors.ClientDestroyedError',
    caughtBy: [{ file: sending, test: 'a fault of ours says nothing about the receiver' }],
  },
  {
    name: 'our-fault-uses-up-an-attempt',
    promise: 'what could not be sent through a fault of ours costs the delivery no attempt',
    file: 'packages/server/src/webhooks/delivery/lane.ts',
    find: 'queue.unshift(delivery)',
    replace: 'queue.unshift({ ...delivery, attempts: delivery.attempts + 1 })',
    caughtBy: [
      {
        file: 'packages/server/src/webhooks/delivery/lane.test.ts',
        test: 'what could not be sent through a fault of ours',
      },
    ],
  },
  {
    name: 'breaker-never-opens',
    promise: 'a receiver that only fails is probed one at a time, and what waits for it uses up no attempts',
    file: 'packages/server/src/webhooks/delivery/circuit-breaker.rules.ts',
    find: "return this.failures >= breakerFailures ? 'probing' : 'sending'",
    replace: "return this.failures >= 1_000_000 * breakerFailures ? 'probing' : 'sending'",
    caughtBy: [
      {
        file: 'packages/server/src/webhooks/delivery/circuit-breaker.rules.test.ts',
        test: 'after so many failures in a row it is probed one at a time',
      },
    ],
  },
  {
    name: 'url-in-the-line-of-an-attempt',
    promise: 'the log line of an attempt holds neither the event, nor the URL, nor the answer',
    file: attempt,
    find: "reason: answer.kind === 'response' ? undefined : answer.operatorDetail",
    replace: 'reason: lane.config?.url',
    caughtBy: [{ file: delivering, test: 'each attempt writes one log line with its facts' }],
  },
  {
    name: 'delivered-after-410',
    promise: 'a receiver that says it is gone gets nothing more',
    file: attempt,
    find: "if (answer.kind === 'response' && answer.isGone) await this.#stopLane(lane, startedMs)",
    replace: '',
    caughtBy: [
      { file: 'packages/server/test/relay-receivers.test.ts', test: '410 disables the endpoint with a reason' },
    ],
  },
  {
    name: 'late-410-overrules',
    promise: 'an answer to an attempt that began earlier does not switch off an endpoint that was switched on since',
    file: 'packages/server/src/webhooks/endpoints/service.ts',
    find: 'beganMsAgo: performance.now() - startedMs',
    replace: 'beganMsAgo: 0',
    caughtBy: [
      {
        file: 'packages/server/test/relay-endpoint-races.test.ts',
        test: 'a 410 does not switch off an endpoint that was switched on again after this attempt had begun',
      },
    ],
  },
  {
    name: 'retry-after-ignored',
    promise: 'a receiver that asks for time gets it',
    file: 'packages/server/src/webhooks/delivery/outcome.ts',
    find: 'Math.max(waitSeconds * 1_000 * spread, retryAfterMs)',
    replace: 'Math.max(waitSeconds * 1_000 * spread, 0 * retryAfterMs)',
    caughtBy: [{ file: delivering, test: 'Retry-After puts the next attempt off' }],
  },
  {
    name: 'old-secret-dropped-at-once',
    promise: 'while a signing secret is rotated, the old one signs beside the new one',
    file: attempt,
    find: '> performance.now() ? keys : keys.slice(0, 1)',
    replace: '> performance.now() ? keys.slice(0, 1) : keys.slice(0, 1)',
    caughtBy: [{ file: delivering, test: 'while a secret is rotated' }],
  },
  {
    name: 'webhook-id-new-at-each-attempt',
    promise: 'a delivery has the same webhook-id at every attempt, so that a receiver can drop duplicates',
    file: attempt,
    find: 'id: `${delivery.eventId}_${delivery.endpointId}`',
    replace: 'id: `${delivery.eventId}_${delivery.endpointId}_${delivery.attempts}`',
    caughtBy: [{ file: delivering, test: 'a failed delivery is repeated on the schedule until it is taken' }],
  },
  {
    name: 'time-of-a-delivery-not-signed',
    promise: 'what a receiver is sent is signed with its id and time',
    file: 'packages/server/src/webhooks/delivery/sender/signing.ts',
    find: ".update(signedPrefix).update(body).digest('base64')",
    replace: ".update(body).digest('base64')",
    caughtBy: [
      {
        file: 'packages/server/src/webhooks/delivery/sender/signing.test.ts',
        test: 'every signature is the one the Standard Webhooks library makes',
      },
    ],
  },
]
