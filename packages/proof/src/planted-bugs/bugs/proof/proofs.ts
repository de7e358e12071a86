// Bugs that only a proof of several processes can catch: `npm run planted-bugs -- --proofs` tries them.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../../planted-bug.ts'

export const provenBugs: readonly PlantedBug[] = [
  {
    name: 'ready-while-stopping',
    promise: 'a replica that stops is not ready, so that the load balancer sends its requests elsewhere',
    row: 14,
    in: 'server',
    find: "if (app.draining || app.closing) throw fail('shutting_down')",
    replace: '',
    provenBy: { script: 'rolling-restart', args: ['--times', '1'] },
  },
  {
    name: 'event-dropped-while-stopping',
    promise: 'an event that is acknowledged during a restart is delivered',
    row: 14,
    in: 'server',
    find: 'receiveProviderEvent(deps, rawBodyOf(request), request.headers).catch(',
    replace:
      "(request.server.draining ? Promise.resolve({ received: true, event_id: 'gone', message: 'gone' }) : receiveProviderEvent(deps, rawBodyOf(request), request.headers)).catch(",
    provenBy: { script: 'rolling-restart', args: ['--times', '1'] },
  },
  {
    name: 'event-acknowledged-before-commit',
    promise: 'an event of the provider is acknowledged once it is committed',
    row: 4,
    in: 'server',
    find: 'return committed.promise',
    replace: "committed.promise.catch(() => {})\n      return 'queued'",
    provenBy: { script: 'chaos:relay', args: ['--kills', '6', '--rate', '20'] },
  },
  {
    name: 'long-lease',
    promise: 'the lanes of a dead replica are sent by another within one lease',
    row: 4,
    in: 'server',
    find: 'export const leaseMs = 4_000',
    replace: 'export const leaseMs = 16_000',
    provenBy: { script: 'proof:replica-loss', args: ['--kills', '2'] },
  },
  {
    name: 'full-disk-is-our-fault',
    promise: 'a full disk answers 503 with Retry-After',
    row: 1,
    in: 'server',
    find: 'const unavailablePattern = /^(08|28|3D|53|57|58)|^(25006|55000|55P03)$/',
    replace: 'const unavailablePattern = /^(08|28|3D|57)|^(25006|55000|55P03)$/',
    provenBy: { script: 'proof:disk-full', args: ['--times', '1', '--full', '10'] },
  },
  {
    name: 'ready-again-after-a-minute',
    promise: 'after the loss of the primary every replica is ready again within 30 s',
    row: 20,
    in: 'server',
    find: 'if (!(await this.#asking)) {',
    replace:
      'if (!(await this.#asking)) this.#awayUntilMs = this.#now() + 60_000\n    if (this.#now() < this.#awayUntilMs) {',
    also: [
      {
        in: 'server',
        find: 'readonly #outcomes = new WriteOutcomes()',
        replace: 'readonly #outcomes = new WriteOutcomes()\n  #awayUntilMs = 0',
      },
    ],
    provenBy: { script: 'proof:failover', args: ['--times', '1'] },
  },
  {
    name: 'wrong-signature',
    promise: 'each delivery is signed over its id, time and body',
    row: 5,
    in: 'server',
    find: ".update(signedPrefix).update(body).digest('base64')",
    replace: ".update(signedPrefix).update(body.subarray(1)).digest('base64')",
    provenBy: { script: 'proof:replica-loss', args: ['--kills', '2'] },
  },
  {
    name: 'numbers-not-advanced',
    promise: 'after a restore no sequence number and no place of the stream is given out twice',
    row: 1,
    in: 'server',
    find: 'update endpoint_sequences set sequence = sequence + ${by}::bigint',
    replace: 'update endpoint_sequences set sequence = sequence + 0 * ${by}::bigint',
    provenBy: { script: 'proof:restore', args: ['--seconds', '4'] },
  },
  {
    name: 'opened-again-after-a-restore',
    promise:
      'an account that waited for KYC at the point in time and opened after it is not opened again after a restore',
    row: 2,
    in: 'server',
    find: 'providerKeyOf(keyedBySubject ? `${kind} ${subjectId}` : id)',
    replace: 'providerKeyOf(keyedBySubject ? `${kind} ${id}` : id)',
    provenBy: { script: 'proof:restore', args: ['--seconds', '4'] },
  },
  {
    name: 'all-delivered-again-after-a-restore',
    promise: 'after a restore only the events of the gap are delivered again',
    row: 4,
    in: 'server',
    find: 'update event_pull set due_at = least(due_at, now()), eager = true, began_at = null, read_event_id = null',
    replace:
      'with forgotten as (delete from received_events)\n    update event_pull set due_at = least(due_at, now()), eager = true, began_at = null, cursor_event_id = null, read_event_id = null',
    provenBy: { script: 'proof:restore', args: ['--seconds', '4'] },
  },
  {
    name: 'column-dropped-at-once',
    promise: 'the version before works on the schema of this one',
    row: 14,
    in: 'server',
    find: 'if (newer.length === 0 && !(await db.read(isSecured)))',
    replace:
      "await db.transaction((tx) => tx.unsafe('alter table end_users drop column if exists stream_from'))\n  if (newer.length === 0 && !(await db.read(isSecured)))",
    also: [
      {
        in: 'server',
        find: 'search_name, search_email, type, metadata, stream_from)',
        replace: 'search_name, search_email, type, metadata)',
      },
      {
        in: 'server',
        find: '${tx.json(user.metadata)}, (select coalesce(max(position), 0) from event_streams where business_id = ${user.businessId}))',
        replace: '${tx.json(user.metadata)})',
      },
    ],
    provenBy: { script: 'proof:upgrade', args: ['--times', '1'] },
  },
  {
    name: 'no-bound-on-members',
    promise: 'the members of a body are counted before it is parsed',
    row: 18,
    in: 'server',
    find: 'if (members > limits.membersMax)',
    replace: 'if (members > Number.MAX_SAFE_INTEGER)',
    provenBy: { script: 'abuse', args: ['--rounds', '1', '--seconds', '5', '--only', 'f1'] },
  },
  {
    name: 'order-of-an-end-user-broken',
    promise: 'with per_end_user ordering a failed delivery holds back the later ones of its end-user',
    row: 4,
    in: 'server',
    find: 'return this.#heldUsers.has(endUserId)',
    replace: 'return false',
    provenBy: { script: 'chaos:relay', args: ['--kills', '3', '--rate', '40'] },
  },
  {
    name: 'another-body-at-a-repeat',
    promise: 'every attempt of a delivery has the same body',
    row: 4,
    in: 'server',
    find: 'const body = plainBody(this.#deps, { id: delivery.eventId, body: stored })',
    replace:
      "const plain = plainBody(this.#deps, { id: delivery.eventId, body: stored })\n      const body = delivery.attempts > 0 ? Buffer.concat([plain, Buffer.from(' ')]) : plain",
    provenBy: { script: 'chaos:relay', args: ['--kills', '3', '--rate', '40'] },
  },
  {
    name: 'set-for-set-local',
    promise: 'the settings of a transaction end with it, also on a connection that a pooler shares',
    row: 7,
    in: 'server',
    find: '`begin; set local role causeway_business; set local causeway.business_id = ${pg.escapeLiteral(businessId)}`',
    replace: '`begin; set role causeway_business; set causeway.business_id = ${pg.escapeLiteral(businessId)}`',
    provenBy: { script: 'proof:pgbouncer', args: ['--seconds', '10', '--tests', 'none'] },
  },
  {
    name: 'refused-without-redis',
    promise: 'without Redis each replica counts for itself, and no caller is refused below its limit',
    row: 12,
    in: 'server',
    find: 'insuranceLimiter: new RateLimiterMemory(window)',
    replace: 'insuranceLimiter: new RateLimiterMemory({ ...window, points: 0 })',
    provenBy: { script: 'proof:redis', args: [] },
  },
  {
    name: 'no-reads-on-a-full-disk',
    promise: 'while the disk is full, reads are answered',
    row: 1,
    in: 'server',
    find: "read: reading('read', general, businessId)",
    replace:
      "read: (work) => pools.readiness.isRefused ? Promise.reject(unavailable(new DatabaseError('53100', null, null))) : reading('read', general, businessId)(work)",
    also: [
      {
        in: 'server',
        find: 'readonly #outcomes = new WriteOutcomes()',
        replace:
          'readonly #outcomes = new WriteOutcomes()\n  get isRefused(): boolean {\n    return this.#isRefused\n  }',
      },
    ],
    provenBy: { script: 'proof:disk-full', args: ['--times', '1', '--full', '10'] },
  },
  {
    name: 'acknowledged-before-commit',
    promise: 'acknowledged data survives any crash: a success is answered after the COMMIT',
    row: 1,
    in: 'server',
    find: 'await wait(session.commit())',
    replace: 'await wait(session.commit()).catch(() => {})',
    provenBy: { script: 'chaos', args: ['--kills', '6'] },
  },
]
