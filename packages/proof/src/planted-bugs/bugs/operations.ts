// Writes: one request makes one object, here and at the provider, and what belongs together is committed together.
// Above the usual length: a list.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const upstream = 'packages/server/src/provider/operations/operations.ts'
const accounts = 'packages/server/src/virtual-accounts/open.ts'
const answers = 'packages/server/src/platform/http/idempotency/service.ts'
const resuming = 'packages/server/test/operations-resume.test.ts'
const repeating = 'packages/server/test/http/idempotency.test.ts'
const dying = 'packages/server/test/idempotency-crash.test.ts'
const readFirst = 'packages/server/test/http/create-virtual-account-read-first.test.ts'
const committing = 'packages/server/test/all-or-nothing.test.ts'

export const operationBugs: readonly PlantedBug[] = [
  {
    name: 'provider-called-before-the-intent-is-committed',
    promise: 'an operation and its provider key are committed before the provider is called',
    file: accounts,
    find: "if ('view' in next) await storeResponse(deps, held, tx, next.view)",
    replace: `if ('view' in next) await storeResponse(deps, held, tx, next.view)
    else
      await deps.provider.accounts.open(
        user.providerCustomerId,
        { reference: '', sourceCurrency: terms.sourceCurrency, destination: upstreamDestination(terms), developerFeePercent: terms.developerFeePercent },
        { key: next.operation.providerKey },
      )`,
    caughtBy: [{ file: resuming, test: 'the intent and its key are committed before the provider is called' }],
  },
  {
    name: 'new-provider-key-at-each-repeat',
    promise: 'a write is repeated under the key of its first try, so that it makes one object',
    file: upstream,
    find: '{ key: operation.providerKey }',
    replace: '{ key: `${operation.providerKey}${operation.attempts}` }',
    caughtBy: [{ file: resuming, test: 'an outcome that is unknown is settled under the same key' }],
  },
  {
    name: 'unknown-outcome-taken-for-a-failure',
    promise: 'an outcome that is unknown is never guessed',
    file: upstream,
    find: 'const isOpen = error.outcomeUnknown || (attempts > 1 && !isRefusal(error))',
    replace: 'const isOpen = false',
    caughtBy: [{ file: resuming, test: 'an outcome that is unknown is settled under the same key' }],
  },
  {
    name: 'answer-not-stored-with-the-outcome',
    promise: 'the answer for a repeat is committed with the outcome of the operation',
    file: upstream,
    find: 'return await answeringTransaction(deps, held, async (tx) => {',
    replace: 'return await deps.db.transaction(async (tx) => {',
    caughtBy: [{ file: dying, test: 'createVirtualAccount' }],
  },
  {
    name: 'refusal-not-stored-with-the-failure',
    promise: 'a refusal of the provider is committed for a repeat with the failure of the operation',
    file: upstream,
    find: 'await storeRefusal(deps, held, tx, answer)',
    replace: '',
    caughtBy: [{ file: dying, test: 'submitKyc' }],
  },
  {
    name: 'operation-locked-before-its-subject',
    promise: 'every transaction takes its locks in one order',
    file: upstream,
    find: `    const subject = await steps.lock(tx)
    const isHeld = await settleAnswer(tx, operation, steps.unfinished?.(answer) ?? null)
`,
    replace: `    const isHeld = await settleAnswer(tx, operation, steps.unfinished?.(answer) ?? null)
    const subject = await steps.lock(tx)
`,
    caughtBy: [{ file: 'packages/server/test/http/create-tos-link.test.ts', test: '200 the body may be absent' }],
  },
  {
    name: 'takeover-without-a-time-to-come-back',
    promise: 'every refusal that may be repeated says when',
    file: upstream,
    find: "throw fail('provider_timeout', { retryAfterSeconds: 5 })",
    replace: "throw fail('provider_timeout')",
    caughtBy: [
      { file: 'packages/server/test/operations-fence.test.ts', test: 'a caller whose operation was taken over' },
    ],
  },
  {
    name: 'waiting-for-a-row-without-an-end',
    promise: 'a caller who meets a row that another transaction does not let go is told 409 soon',
    file: 'packages/server/src/platform/postgres/lock-order.ts',
    find: 'const lockWaitMs = 500',
    replace: 'const lockWaitMs = 0',
    caughtBy: [
      { file: 'packages/server/test/lock-order.test.ts', test: 'a row that another transaction holds is waited for' },
    ],
  },
  {
    name: 'provider-key-repeated-past-its-life',
    promise: 'past the life of the provider key an unknown outcome is read, not repeated',
    file: 'packages/server/src/virtual-accounts/open-upstream.ts',
    find: 'ageMs < keyLifeMs - keyLifeMarginMs)',
    replace: 'ageMs < 10 * keyLifeMs)',
    caughtBy: [
      {
        file: 'packages/server/test/http/create-virtual-account-upstream.test.ts',
        test: '504 past the life of the provider key the outcome is read, not repeated',
      },
    ],
  },
  {
    name: 'creation-sent-again-while-the-first-may-arrive',
    promise: 'without keys a write is sent again only when the request before can no longer arrive',
    file: upstream,
    find: '!(await mayStillArrive(deps, tx, operation)) && ',
    replace: '',
    caughtBy: [
      { file: readFirst, test: '504 an account that was not opened is sent again' },
      { file: 'packages/server/test/operations-read-first.test.ts', test: 'a switch that was not made is sent again' },
    ],
  },
  {
    name: 'write-repeated-at-a-provider-without-keys',
    promise: 'without keys a lost write is read before it is sent again',
    file: upstream,
    find: "=== 'read_first'",
    replace: "=== 'harmless'",
    caughtBy: [{ file: 'packages/server/test/operations-read-first.test.ts', test: 'a switch that was made is found' }],
  },
  {
    name: 'younger-of-two-accounts-shown',
    promise: 'of two accounts for one request the older is shown, and the younger is switched off',
    file: 'packages/server/src/virtual-accounts/open-upstream.ts',
    find: 'const [oldest, ...younger] = byAge(accounts)',
    replace: 'const [oldest, ...younger] = accounts',
    caughtBy: [{ file: readFirst, test: '504 of two accounts with one reference' }],
  },
  {
    name: 'operation-settled-without-the-fence',
    promise: 'whoever has lost the lease of an operation settles nothing',
    file: 'packages/server/src/provider/operations/operations.store.ts',
    find: 'and attempts = ${operation.attempts} and state',
    replace: 'and state',
    caughtBy: [
      { file: 'packages/server/test/operations-fence.test.ts', test: 'whoever lost an operation settles nothing' },
    ],
  },
  {
    name: 'guarded-by-a-look-alone',
    promise: 'of racing requests one succeeds: the database refuses the others, not a look before',
    file: 'packages/server/src/end-users/store.ts',
    find: 'on conflict (business_id, external_user_id) do nothing returning *',
    replace: 'returning *',
    also: [
      {
        file: 'packages/server/src/platform/postgres/migrations/0001_schema.sql',
        find: 'create unique index if not exists end_users_external',
        replace: 'create index if not exists end_users_external',
      },
    ],
    caughtBy: [
      { file: 'packages/server/test/http/create-end-user.test.ts', test: '409 of eight racing creations exactly one' },
    ],
  },
  {
    name: 'racers-both-run',
    promise: 'of requests with one Idempotency-Key one is done',
    file: answers,
    find: 'or (status is null and lease_until <= now() and fingerprint = any',
    replace: 'or (status is null and fingerprint = any',
    caughtBy: [{ file: repeating, test: 'of 16 requests at once with one key exactly one is done' }],
  },
  {
    name: 'other-body-gets-the-stored-answer',
    promise: 'an Idempotency-Key that was used for another body is refused',
    file: answers,
    find: 'if (held && !fingerprints.some(',
    replace: 'if (held && key.key === null && !fingerprints.some(',
    caughtBy: [{ file: repeating, test: 'another body under the same key is 422 and nothing is done' }],
  },
  {
    name: 'failure-kept-for-the-repeat',
    promise: 'a failure of ours or of the provider is not what a repeat gets',
    file: answers,
    find: 'status >= 500 || status === 408 || (errorCode',
    replace: 'status === 408 || (errorCode === null && errorCode',
    caughtBy: [{ file: repeating, test: 'a failure of the provider is not kept' }],
  },
  {
    name: 'answer-waits-for-the-release-of-its-key',
    promise: 'a caller who has waited for the database once is told so, and its key is free once the database answers',
    file: 'packages/server/src/platform/http/idempotency/edge.ts',
    find: "if (errorCode === 'database_unavailable') lateReleases.add(end, tellFailure)",
    replace: "if (errorCode === 'database_unavailable') await end().catch(tellFailure)",
    caughtBy: [{ file: 'packages/server/test/database-locks.test.ts', test: 'a write whose key cannot be released' }],
  },
  {
    name: 'kept-answer-lies-open',
    promise: 'an answer that holds a key or secret lies sealed in the database',
    file: answers,
    find: 'const response = deps.secrets.seal(body, responseContext(held))',
    replace: 'const response = Buffer.from(body)',
    caughtBy: [{ file: repeating, test: 'no API key and no signing secret lies readable in the database' }],
  },
  {
    name: 'event-outside-of-the-transaction',
    promise: 'an event of ours is there exactly when the change is that it tells of',
    file: 'packages/server/src/events/emit.ts',
    find: 'await store.insertBusinessEvent(tx, { id',
    replace:
      'await store.insertBusinessEvent(await deps.db.transaction(async (other) => (await store.insertBusinessEvent(other, { id, type, body: Buffer.from(JSON.stringify(envelope)), owner }, target), tx)), { id',
    caughtBy: [{ file: committing, test: 'an end-user whose commit fails leaves no event' }],
  },
  {
    name: 'audit-entry-outside-of-the-transaction',
    promise: 'an audit entry is there exactly when the act is that it tells of',
    file: 'packages/server/src/end-users/erasure.ts',
    find: 'await appendAudit(deps, tx, actorOf(business), act)',
    replace: 'await deps.db.transaction((other) => appendAudit(deps, other, actorOf(business), act))',
    caughtBy: [{ file: committing, test: 'an erasure whose commit fails leaves no entry in the audit log' }],
  },
  {
    name: 'foreign-customer-adopted-by-address',
    promise: 'a customer whom no creation of ours of unknown outcome has made is never taken for ours',
    file: 'packages/server/src/end-users/kyc/customers.ts',
    find: 'if (only.createdAtMs === null || only.createdAtMs < Math.min(...times)) return undefined',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc-failures.test.ts',
        test: '422 a customer whom no lost answer of ours has made stays a stranger',
      },
    ],
  },
  {
    name: 'person-known-by-id-alone',
    promise: 'a person whom the company has is changed, and never added a second time',
    file: 'packages/server/src/end-users/kyc/company-people.ts',
    find: '(id === undefined ? sameEmail(one.email, email) : one.id === id)',
    replace: '(id !== undefined && one.id === id)',
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc-company.test.ts',
        test: '200 a whole company is taken again, and its people are changed, not added',
      },
    ],
  },
  {
    name: 'restored-numbers-given-out-twice',
    promise: 'no sequence number and no place of the stream is given out twice after a restore',
    file: 'packages/server/src/app/restore/after-restore.store.ts',
    find: 'set sequence = sequence + ${by}::bigint`',
    replace: 'set sequence = sequence + 0 * ${by}::bigint`',
    caughtBy: [
      {
        file: 'packages/server/test/after-restore.test.ts',
        test: 'after a restore no number is given out twice, and what was ended or cancelled meanwhile does not come back by itself',
      },
    ],
  },
  {
    name: 'restored-change-repeated',
    promise: 'a change of an account that was under way is not repeated over a later one after a restore',
    file: 'packages/server/src/app/restore/after-restore.store.ts',
    find: "where state in ('running', 'unknown') and kind in (",
    replace: 'where false and kind in (',
    caughtBy: [
      {
        file: 'packages/server/test/after-restore.test.ts',
        test: 'a change of an account that was under way is not repeated on a restored database',
      },
    ],
  },
]
