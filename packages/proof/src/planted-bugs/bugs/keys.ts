// Keys, secrets and the audit log: permissions, their end, and their record.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const entry = 'packages/server/src/audit/audit.rules.ts'
const tampering = 'packages/server/test/audit-tamper.test.ts'
const auditing = 'packages/server/test/http/audited-operations.test.ts'
const answering = 'packages/server/test/idempotency-crash.test.ts'

export const keyBugs: readonly PlantedBug[] = [
  {
    name: 'ended-key-remembered',
    promise: 'a key that is ended is dead on every replica within two seconds, also when notifications are lost',
    file: 'packages/server/src/businesses/api-key-cache.ts',
    find: 'const trustMs = 1_000',
    replace: 'const trustMs = 5_000',
    caughtBy: [{ file: 'packages/server/test/key-revocation.test.ts', test: 'on one server is refused by the others' }],
  },
  {
    name: 'waiting-reader-of-an-ended-key',
    promise: 'who waits at the stream with a key that ends is told nothing more',
    file: 'packages/server/src/events/stream/stream.ts',
    find: 'if (reader.takeDoubt()) await admitAgain?.()',
    replace: '',
    caughtBy: [
      { file: 'packages/server/test/http/list-events-pull.test.ts', test: 'who waits with a key that ends is refused' },
    ],
  },
  {
    name: 'key-in-use-revoked-with-the-secret',
    promise: 'a key that is in use outlives the deployment secret under which it was issued',
    file: 'packages/server/src/businesses/api-keys.ts',
    find: 'await moveDigest(deps, holder, digests[0])',
    replace: '',
    caughtBy: [
      { file: 'packages/server/test/secret-rotation-key-in-use.test.ts', test: 'a key in use outlives the old secret' },
    ],
  },
  {
    name: 'log-of-requests-with-their-paths',
    promise: 'the log of requests holds nothing that a path names',
    file: 'packages/server/src/businesses/requests/service.ts',
    find: "path: request.routeOptions.url ?? '',",
    replace: 'path: request.url,',
    caughtBy: [{ file: 'packages/server/test/http/list-requests.test.ts', test: 'nothing of what a request named' }],
  },
  {
    name: 'failed-attempts-not-counted',
    promise: 'what statistics say agrees with the rows',
    file: 'packages/server/src/stats/attempts.sql.ts',
    find: "union all select business_id, started_at, endpoint_id, 'failed', duration_ms from kept",
    replace: '',
    caughtBy: [{ file: 'packages/server/test/http/get-stats.test.ts', test: 'after a storm of writes and kill -9' }],
  },
  {
    name: 'chain-without-the-entry-before',
    promise: 'an entry of the audit log is chained to the one before it',
    file: entry,
    find: "previous: previous.toString('hex'),",
    replace: "previous: noHash.toString('hex'),",
    caughtBy: [{ file: tampering }],
  },
  {
    name: 'details-outside-of-the-code',
    promise: 'every field of an entry of the audit log is under its code',
    file: entry,
    find: '    details,\n    requestId,',
    replace: '    requestId,',
    caughtBy: [{ file: tampering, test: 'is named' }],
  },
  {
    name: 'cut-tail-not-noticed',
    promise: 'entries that are cut off the end of the audit log are missed',
    file: 'packages/server/src/audit/verify.ts',
    find: 'if (head.number > number)',
    replace: 'if (head.number < 0)',
    caughtBy: [{ file: tampering, test: 'a tail cut off is named' }],
  },
  {
    name: 'audit-numbers-raced-for',
    promise: 'acts at the same time make one chain',
    file: 'packages/server/src/audit/store.ts',
    find: 'await tx`select pg_advisory_xact_lock(hashtextextended(${`audit ${businessId}`}, 0))`',
    replace: '',
    caughtBy: [{ file: tampering, test: 'a hundred acts at once' }],
  },
  {
    name: 'entry-can-be-written-again',
    promise: 'an entry of the audit log stays as it was written',
    file: 'packages/server/src/platform/postgres/migrations/0001_schema.sql',
    find: 'create or replace trigger audit_log_append_only before update or delete on audit_log',
    replace: 'create or replace trigger audit_log_append_only before delete on audit_log',
    caughtBy: [{ file: tampering, test: 'nobody changes, removes or empties the log' }],
  },
  {
    name: 'webhook-path-in-the-audit-log',
    promise: 'no entry of the audit log holds a secret, nor what may be one',
    file: 'packages/server/src/webhooks/endpoints/service.ts',
    find: 'return new URL(url).origin',
    replace: 'return url',
    caughtBy: [{ file: auditing }],
  },
  {
    name: 'created-keys-outlive-the-revocation',
    promise: 'a credential is revoked with everything that was created with it',
    file: 'packages/server/src/businesses/descent.store.ts',
    find: 'select ancestors || id as ancestors, revoked_at is not null as is_revoked from api_keys',
    replace: 'select array[id] as ancestors, revoked_at is not null as is_revoked from api_keys',
    caughtBy: [{ file: 'packages/server/test/http/revoke-api-key.test.ts', test: 'with everything that it created' }],
  },
  {
    name: 'revocation-not-in-the-audit-log',
    promise: 'every act that concerns security is in the audit log',
    file: 'packages/server/src/businesses/api-keys.ts',
    find: "await appendAudit(deps, tx, by, { businessId, action: 'api_key.revoked', subjectId: id, ...(details && { details }) })",
    replace: '',
    caughtBy: [{ file: auditing, test: 'writes what it did, who did it' }],
  },
  {
    name: 'answer-not-committed-with-the-work',
    promise: 'a repeat after a crash gets the answer of the work, and nothing is made twice',
    file: 'packages/server/src/platform/http/idempotency/service.ts',
    find: 'await saveWhileHeld(deps, tx, held, { status: 200, body: held.textOf(data) })',
    replace: '',
    caughtBy: [{ file: answering, test: 'createWebhookEndpoint' }],
  },
  {
    name: 'try-again-kept-for-the-repeat',
    promise: 'an answer that says "try again" is not what every later try is told',
    file: 'packages/server/src/platform/http/idempotency/service.ts',
    find: ' || (errorCode !== null && isRetryable(errorCode))',
    replace: '',
    caughtBy: [
      { file: 'packages/server/test/faults-provider.test.ts', test: 'a repeat that comes while an unknown outcome' },
    ],
  },
  {
    name: 'change-told-twice',
    promise: 'a change is told once, however often it is asked for',
    file: 'packages/server/src/virtual-accounts/standing/follow.ts',
    find: '    if (changed.length > 0) await emitUpdated(deps, tx, after, changed)\n',
    replace: '    await emitUpdated(deps, tx, after, changed)\n',
    also: [
      {
        file: 'packages/server/src/virtual-accounts/standing/follow.ts',
        find: '  if (!Object.keys(next).some(isNew)) return before\n',
        replace: '  if (changes.instructions && !Object.keys(next).some(isNew)) return before\n',
      },
    ],
    caughtBy: [
      {
        file: 'packages/server/test/http/update-virtual-account.test.ts',
        test: '200 a change that is made already is sent again',
      },
    ],
  },
  {
    name: 'busy-event-waits-by-its-age',
    promise: 'an event that meets a change of ours is looked at again within seconds',
    file: 'packages/server/src/events/ingest/apply.ts',
    find: "'account is changed by us', changeWait)",
    replace: "'account is changed by us', idWait)",
    caughtBy: [
      { file: 'packages/server/test/relay-account-events.test.ts', test: 'an old event that meets a change of ours' },
    ],
  },
  {
    name: 'mail-address-in-a-link-that-is-kept',
    promise: 'identity data does not lie in the database: not in the provider’s links either',
    file: 'packages/server/src/end-users/store.ts',
    find: "const providerUrl = secrets.seal(url, id).toString('base64')",
    replace: 'const providerUrl = url',
    also: [
      {
        file: 'packages/server/src/end-users/store.ts',
        find: "secrets.open(Buffer.from(link.providerUrl, 'base64'), link.id)",
        replace: 'link.providerUrl',
      },
    ],
    caughtBy: [
      {
        file: 'packages/server/test/http/create-tos-link.test.ts',
        test: '200 the mail address that the provider puts',
      },
    ],
  },
  {
    name: 'forwarded-address-believed',
    promise: 'behind a proxy the caller’s address is the one the proxy saw',
    file: 'packages/server/src/app/http-server.ts',
    find: 'hop === 0',
    replace: 'true',
    caughtBy: [{ file: 'packages/server/test/http/edge-guards.test.ts', test: 'behind a proxy' }],
  },
]
