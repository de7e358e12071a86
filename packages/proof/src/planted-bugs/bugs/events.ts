// Events that came from the provider: acknowledged once committed, believed only when signed, applied in any order.
// Above the usual length: a list.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const deposits = 'packages/server/src/deposits/state.rules.ts'
const groupCommit = 'packages/server/src/events/ingest/group-commit.ts'
const signature = 'packages/server/src/provider/bridge/signature.ts'
const receiving = 'packages/server/test/http/receive-provider-webhook.test.ts'
const signing = 'packages/server/src/provider/bridge/signature.test.ts'
const depositRules = 'packages/server/src/deposits/state.rules.test.ts'

export const eventBugs: readonly PlantedBug[] = [
  {
    name: 'event-acknowledged-before-its-commit',
    promise: 'what was acknowledged survives any crash',
    file: groupCommit,
    find: 'return committed.promise',
    replace: "committed.promise.catch(() => {})\n      return 'queued'",
    caughtBy: [{ file: receiving, test: '503 while the database is away nothing is acknowledged' }],
  },
  {
    name: 'database-failure-answered-with-200',
    promise: 'a database that is away, full or read-only is never answered with 200',
    file: groupCommit,
    find: 'for (const { committed } of batch) committed.reject(error)',
    replace: "for (const { committed } of batch) committed.resolve('queued')",
    caughtBy: [{ file: receiving, test: '503 while the database is away nothing is acknowledged' }],
  },
  {
    name: 'events-told-apart-by-id-alone',
    promise: 'a forged event suppresses no real one: events are told apart by id and trust',
    file: 'packages/server/src/events/ingest/ingest.store.ts',
    find: 'receivedKey(provider, trust, providerEventId)',
    replace: "receivedKey(provider, 'verified', providerEventId)",
    caughtBy: [
      {
        file: 'packages/server/test/relay-trust.test.ts',
        test: 'a forged event with the id of a real one suppresses nothing',
      },
    ],
  },
  {
    name: 'repeated-event-stored-again',
    promise: 'an event that the provider sends twice is stored and delivered once',
    file: 'packages/server/src/events/ingest/ingest.store.ts',
    find: 'select key, id from input order by key',
    replace: "select key || ' ' || id, id from input order by key",
    caughtBy: [{ file: receiving, test: '200 an event that was received before is acknowledged as a duplicate' }],
  },
  {
    name: 'forged-event-believed',
    promise: 'a forged event changes nothing: what came unsigned is a hint to read',
    file: 'packages/server/src/events/ingest/apply.ts',
    find: "|| event.trust !== 'verified')",
    replace: ')',
    caughtBy: [{ file: 'packages/server/test/relay-trust.test.ts', test: 'a forged deposit changes no deposit' }],
  },
  {
    name: 'wrong-signature-taken-for-none',
    promise: 'an event with a wrong signature is refused',
    file: 'packages/server/src/events/ingest/ingest.ts',
    find: "default:\n      throw refusal('invalid')",
    replace: "default:\n      return 'unverified'",
    caughtBy: [{ file: receiving, test: '401 a wrong signature is refused even where none is demanded' }],
  },
  {
    name: 'signature-over-rewritten-json',
    promise: 'the signature is checked over the bytes as they came',
    file: signature,
    find: '.update(rawBody)',
    replace:
      ".update((() => { try { return JSON.stringify(JSON.parse(rawBody.toString('utf8'))) } catch { return rawBody } })())",
    caughtBy: [{ file: signing, test: 'fails when any byte of the body is changed, added or removed' }],
  },
  {
    name: 'signature-time-unchecked',
    promise: 'an event that was recorded cannot be played again later',
    file: signature,
    find: "return Math.abs(nowMs - Number(parsed.timestamp)) > toleranceMs ? 'stale' : parsed",
    replace: 'return parsed',
    caughtBy: [{ file: signing, test: 'an older one is stale' }],
  },
  {
    name: 'signature-of-tomorrow-taken',
    promise: 'an event that is signed ahead of its time cannot be kept for later',
    file: signature,
    find: 'Math.abs(nowMs - Number(parsed.timestamp)) > toleranceMs',
    replace: 'nowMs - Number(parsed.timestamp) > toleranceMs',
    caughtBy: [{ file: signing, test: 'an older one is stale, and so is one further in the future' }],
  },
  {
    name: 'deposit-status-by-last-arrival',
    promise: 'events of a deposit end in the same state in whatever order they come',
    file: deposits,
    find: '[...others, activity].sort(compareAuthority).slice(-activitiesMax)',
    replace: '[...others, activity].slice(-activitiesMax)',
    caughtBy: [{ file: depositRules, test: 'any order of the same activities' }],
  },
  {
    name: 'deposit-goes-back',
    promise: 'a deposit never moves back, whatever its clock says',
    file: deposits,
    find: 'meaningOf(left).phase - meaningOf(right).phase ||',
    replace: '',
    caughtBy: [{ file: depositRules, test: 'a step of an earlier phase never moves a deposit back' }],
  },
  {
    name: 'older-verdict-undoes-later',
    promise: 'of two answers of the provider the later one counts, whichever is taken in last',
    file: 'packages/server/src/end-users/kyc/apply-verdict.ts',
    find: 'return isOfSame && (customer',
    replace: 'return !isOfSame && (customer',
    caughtBy: [
      {
        file: 'packages/server/test/kyc-verdict.test.ts',
        test: 'an answer that the provider gave earlier does not undo',
      },
    ],
  },
  {
    name: 'requirements-merged',
    promise: 'what is due is what the latest answer of the provider says, and nothing of those before',
    file: 'packages/server/src/end-users/store.ts',
    find: 'requirements = ${tx.json(user.requirements)},',
    replace:
      "requirements = jsonb_set(${tx.json(user.requirements)}::jsonb, '{currentlyDue}', (requirements->'currentlyDue') || (${tx.json(user.requirements)}::jsonb->'currentlyDue')),",
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc-verdicts.test.ts',
        test: '200 data is missing: what is due is listed',
      },
    ],
  },
  {
    name: 'unknown-provider-status-throws',
    promise: 'a word of the provider that is new to us is kept, and stops nothing',
    file: 'packages/server/src/provider/bridge/verdict.ts',
    find: "verdicts.get(status) ?? 'unknown'",
    replace: "verdicts.get(status) ?? (() => { throw new Error('unknown status') })()",
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc-verdicts.test.ts',
        test: '200 a status that is new to us is kept raw',
      },
    ],
  },
  {
    name: 'unknown-provider-status-guessed',
    promise: 'a status of the provider that is new to us changes no verdict',
    file: 'packages/server/src/end-users/kyc/status.rules.ts',
    find: "if (verdict === 'unknown') return previous",
    replace: "if (verdict === 'unknown') return 'under_review'",
    caughtBy: [
      {
        file: 'packages/server/src/end-users/kyc/status.rules.test.ts',
        test: 'an unknown provider status keeps the status',
      },
    ],
  },
  {
    name: 'facts-of-a-new-link-unused',
    promise: 'the first response about a KYC link uses what the provider says with the link',
    file: 'packages/server/src/end-users/kyc/links.ts',
    find: 'await applyAnswer(deps, tx, { ...held, providerKycLink: kycLink }, answer, user.providerCustomerId)',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/http/get-kyc-links-adopted.test.ts',
        test: '200 terms that were accepted on the link that the provider has are not asked for again',
      },
    ],
  },
  {
    name: 'history-not-read',
    promise: 'where the provider has no record of events, lost deposits are found in the history of all accounts',
    file: 'packages/server/src/reconcile/pull.ts',
    find: "if (error instanceof ProviderError && error.status === 404) return 'absent'",
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/relay-reconcile-history.test.ts',
        test: 'deposits of which no webhook told, more than a page of them, are found within the period',
      },
    ],
  },
  {
    name: 'approval-not-looked-for',
    promise: 'an approval that no event told is seen when an account is asked for',
    file: 'packages/server/src/virtual-accounts/open.ts',
    find: 'if (railRefusal(deps, seen, terms.sourceCurrency)) await lookForApproval(deps, seen)',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/http/create-virtual-account-unheard.test.ts',
        test: '200 an approval that no event told is seen when an account is asked for',
      },
    ],
  },
  {
    name: 'foreign-key-offboards-everybody',
    promise: 'a key of another account at the provider offboards nobody',
    file: 'packages/server/src/end-users/kyc/apply-verdict.ts',
    find: "throw new ProviderError('unauthorized', { code: foreignKeyCode })",
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/relay-reread-wrong-key.test.ts',
        test: 'a walk to which three customers in a row are unknown stops, says so, and offboards nobody',
      },
    ],
  },
  {
    name: 'event-of-two-businesses-given-to-one',
    promise: 'an event that names objects of two businesses goes to neither by chance',
    file: 'packages/server/src/events/ingest/ingest.store.ts',
    find: ' and not o.is_disputed',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/relay-shared-name.test.ts',
        test: 'an event that names customers of two businesses goes to neither, in whichever order',
      },
    ],
  },
  {
    name: 'retry-of-a-held-event-put-off-by-an-older-try',
    promise: 'an event that was made due is not put off by a try that began before',
    file: 'packages/server/src/events/held/store.ts',
    find: ', fence = fence + 1',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/relay-shared-name.test.ts',
        test: 'an answer from before an event was made due does not put it off',
      },
    ],
  },
  {
    name: 'event-that-takes-its-own-lease',
    promise: 'an event that failed once is applied, though it makes itself due',
    file: 'packages/server/src/platform/postgres/row-security.sql',
    find: 'fence = fence + (select (business_id is null)::int from events where id = w.event_id)',
    replace: 'fence = fence + 1',
    caughtBy: [
      {
        file: 'packages/server/test/relay-shared-name.test.ts',
        test: 'an event that failed once is applied, though it makes itself due with the customer that it brings',
      },
    ],
  },
  {
    name: 'resend-not-told',
    promise: 'a reader of the stream is told that an event is sent again',
    file: 'packages/server/src/webhooks/replay/service.ts',
    find: 'await tellOfResend(deps, tx, event, endpointId)',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/http/replay-event.test.ts',
        test: '200 readers of the stream are told, endpoints are not',
      },
    ],
  },
  {
    name: 'sleeps-until-the-lease-ends',
    promise: 'an event that is put off after a read of the provider is looked at again when it is due',
    file: 'packages/server/src/events/ingest/jobs.ts',
    find: 'loop.wake() // the loop',
    replace: '// the loop',
    caughtBy: [
      {
        file: 'packages/server/test/relay-account-events.test.ts',
        test: 'an event that is put off after its read is looked at again when it is due, though nothing else happens',
      },
    ],
  },
  {
    name: 'due-since-the-transaction-began',
    promise: 'an event that a slow transaction makes due is applied when that transaction commits',
    file: 'packages/server/src/events/work.store.ts',
    find: "date_trunc('milliseconds', clock_timestamp())",
    replace: 'now()',
    caughtBy: [
      {
        file: 'packages/server/test/relay-owner.test.ts',
        test: 'an event that a slow transaction makes due is looked at when that transaction commits',
      },
    ],
  },
]
