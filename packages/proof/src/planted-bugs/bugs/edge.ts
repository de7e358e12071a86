// The edge: authentication, limits, answers and logs.
// Above the usual length: a list.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../planted-bug.ts'

const keys = 'packages/server/src/businesses/store.ts'
const guards = 'packages/server/src/app/authentication.ts'
const guarding = 'packages/server/test/http/edge-guards.test.ts'
const turns = 'packages/server/test/http/edge-turns.test.ts'
const reading = 'packages/server/test/http/edge-body.test.ts'
const living = 'packages/server/test/http/edge-lifecycle.test.ts'
const revoking = 'packages/server/test/http/revoke-api-key.test.ts'

export const edgeBugs: readonly PlantedBug[] = [
  {
    name: 'revoked-key-lives-on',
    promise: 'a revoked key is dead',
    file: keys,
    find: 'k.revoked_at is null and (k.expires_at',
    replace: '(k.expires_at',
    caughtBy: [{ file: revoking, test: '200 the key is dead at once' }],
  },
  {
    name: 'expired-key-lives-on',
    promise: 'a key is dead when its time is over',
    file: keys,
    find: 'and (k.expires_at is null or k.expires_at > now())',
    replace: '',
    caughtBy: [{ file: revoking, test: 'a revoked key, and one whose time is over' }],
  },
  {
    name: 'revoked-told-apart-from-unknown',
    promise: 'a revoked key is answered as one that never was',
    file: keys,
    find: 'k.revoked_at is null and (k.expires_at',
    replace: '(k.expires_at',
    also: [
      {
        file: keys,
        find: 'k.scopes, k.expires_at, k.secret_key_id\n',
        replace: 'k.scopes, k.expires_at, k.secret_key_id, k.revoked_at\n',
      },
      {
        file: 'packages/server/src/businesses/api-keys.ts',
        find: "if (!holder) throw fail('api_key_invalid')",
        replace: `if (!holder) throw fail('api_key_invalid')
  if ('revokedAt' in holder && holder.revokedAt) throw fail('api_key_invalid', { message: 'This key was revoked.' })`,
      },
    ],
    caughtBy: [{ file: revoking, test: 'a revoked key, and one whose time is over' }],
  },
  {
    name: 'scope-not-asked-for',
    promise: 'a key can do what its scopes allow and nothing else',
    file: guards,
    find: 'if (scope && !business.scopes.includes(scope))',
    replace: 'if (scope && business.scopes.length === 0)',
    caughtBy: [{ file: guarding, test: 'a key without the scope is 403 and told which' }],
  },
  {
    name: 'limit-headers-missing',
    promise: 'every authenticated answer says how often its key may ask',
    file: guards,
    find: "reply.header('ratelimit-policy', ",
    replace: "reply.header('x-limit', ",
    caughtBy: [{ file: guarding, test: 'a key may ask as often as configured' }],
  },
  {
    name: 'body-without-a-cap',
    promise: 'a body is read up to its limit and no further',
    file: 'packages/server/src/platform/http/body/json-meter.ts',
    find: 'bytes += chunk.length',
    replace: 'bytes += 0',
    caughtBy: [{ file: reading, test: 'a body without a length is cut at the same limit' }],
  },
  {
    name: 'json-without-a-depth',
    promise: 'JSON nested deeper than any of ours is refused',
    file: 'packages/server/src/platform/http/body/json-meter.ts',
    find: '++depth > jsonDepthMax',
    replace: '++depth > 1_000 * jsonDepthMax',
    caughtBy: [{ file: reading, test: 'nesting is allowed to' }],
  },
  {
    name: 'right-operator-secret-locked-out',
    promise: 'guesses of others never lock the operator out',
    file: guards,
    find: 'if (!check(credential)) await countGuess(',
    replace: 'await countGuess(',
    caughtBy: [{ file: guarding, test: 'the right one still passes from there' }],
  },
  {
    name: 'stronger-key-revoked',
    promise: 'a key cannot end one that may do more than itself',
    file: 'packages/server/src/businesses/api-keys.ts',
    find: 'requireNoMore(business, (await lockKeyToEnd(tx, key, withCreated)).scopes)',
    replace: 'await lockKeyToEnd(tx, key, withCreated)',
    caughtBy: [{ file: 'packages/server/test/http/revoke-api-key.test.ts', test: '403 a key cannot end one' }],
  },
  {
    name: 'keys-counted-without-the-lock',
    promise: 'a business has 100 live keys at most, however many are asked for at once',
    file: 'packages/server/src/businesses/api-keys.ts',
    find: 'await store.lockBusiness(tx, business.id)\n    const ancestors',
    replace: 'const ancestors',
    caughtBy: [{ file: 'packages/server/test/http/roll-api-key.test.ts', test: '422 a business has 100 live keys' }],
  },
  {
    name: 'weak-secret-in-live-mode',
    promise: 'live mode starts with random secrets only',
    file: 'packages/server/src/platform/settings.ts',
    find: 'if (secret !== undefined && isGuessable(secret))',
    replace: 'if (secret === "")',
    caughtBy: [{ file: 'packages/server/src/platform/settings.test.ts', test: 'live mode refuses' }],
  },
  {
    name: 'connections-of-one-address-not-counted',
    promise: 'one address cannot shut the others out by holding connections',
    file: 'packages/server/src/platform/http/limits/connections.ts',
    find: 'if (count > connectionsPerAddress)',
    replace: 'if (count > 1_000 * connectionsPerAddress)',
    caughtBy: [{ file: 'packages/server/test/http/edge-connections.test.ts', test: 'one address holds as many' }],
  },
  {
    name: 'second-credential-ignored',
    promise: 'a request with two credentials is refused: a proxy may have judged the other one',
    file: 'packages/server/src/platform/http/client-error.ts',
    find: 'if (authorization.length > 1)',
    replace: 'if (authorization.length > 2)',
    caughtBy: [
      { file: 'packages/server/test/http/edge-errors.test.ts', test: 'what a proxy in front may read another way' },
    ],
  },
  {
    name: 'members-not-counted',
    promise: 'a body has as many members as its operation takes, and is parsed only then',
    file: 'packages/server/src/platform/http/body/json-meter.ts',
    find: 'if (byte === comma || (isOpening',
    replace: 'if ((isOpening',
    caughtBy: [{ file: reading, test: 'members at most, however they are nested' }],
  },
  {
    name: 'kyc-counted-for-any-name',
    promise: 'the KYC submissions of a business are counted, whatever end-users they name',
    file: 'packages/server/src/end-users/kyc/admission.ts',
    find: 'requireAllowed(await kycSubmissionsOfBusiness.take(business.id))',
    replace: 'await kycSubmissionsOfBusiness.take(business.id)',
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc-admission.test.ts',
        test: '429 the ninth submission of a business',
      },
    ],
  },
  {
    name: 'requests-cut-at-the-stop',
    promise: 'a stop lets running requests finish',
    file: 'packages/server/src/app/http-server.ts',
    find: 'cut = setTimeout(() => app.server.closeAllConnections(), graceMs)',
    replace: 'cut = setTimeout(() => app.server.closeAllConnections(), graceMs * 0)',
    caughtBy: [{ file: living, test: 'closing lets a running request finish' }],
  },
  {
    name: 'redirect-address-not-checked',
    promise: 'the page of the terms leads back to a checked address only',
    file: 'packages/server/src/end-users/tos-links.ts',
    find: 'input.redirectUri === undefined ? null : checkedRedirect(deps, input.redirectUri)',
    replace: 'input.redirectUri ?? null',
    caughtBy: [{ file: 'packages/server/test/http/create-tos-link.test.ts', test: 'plain http of another host' }],
  },
  {
    name: 'planted-agreement-id-kept',
    promise: 'an agreement id that stands in the return address already is overwritten',
    file: 'packages/sandbox/src/pages/redirects.ts',
    find: 'target.searchParams.set(name',
    replace: 'target.searchParams.append(name',
    caughtBy: [
      {
        file: 'packages/sandbox/test/pages-redirects.test.ts',
        test: 'the agreement id replaces every one that stands in the address',
      },
    ],
  },
  {
    name: 'kyc-data-in-the-log',
    promise: 'identity data is in no line of the log',
    file: 'packages/server/src/end-users/kyc/submit.ts',
    find: 'requireSubmittable(deps, user)\n',
    replace: "requireSubmittable(deps, user)\n  deps.log.warn({ submission }, 'a submission')\n",
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc.test.ts',
        test: '200 no line of the log holds anything of what was sent',
      },
    ],
  },
  {
    name: 'kyc-data-in-an-error',
    promise: 'an error names the field and the rule, never the value',
    file: 'packages/server/src/end-users/kyc/form/form.rules.ts',
    find: "if (keyword === 'reads') return params['violation']",
    replace: "if (keyword === 'reads') return [params['violation'][0], `${params['violation'][1]}, not ${data}`]",
    caughtBy: [
      {
        file: 'packages/server/src/end-users/kyc/form/submission.rules.test.ts',
        test: 'a wrong value in any place is refused there, and no message holds it',
      },
    ],
  },
  {
    name: 'api-key-in-the-log',
    promise: 'a key or secret that slips into a line of the log is masked there',
    file: 'packages/server/src/platform/observe/log.ts',
    find: 'write(redact(line))',
    replace: 'write(line)',
    caughtBy: [
      { file: 'packages/server/src/platform/observe/log.test.ts' },
      { file: 'packages/server/test/http/edge-guards.test.ts', test: 'no credential is in any log line' },
    ],
  },
  {
    name: 'database-detail-passed-on',
    promise: 'an error of the database is passed on without the values that it names',
    file: 'packages/server/src/platform/postgres/db.ts',
    find: 'error.table ?? error.routine ?? null',
    replace: 'error.detail ?? error.table ?? null',
    caughtBy: [
      {
        file: 'packages/server/test/database-statements.test.ts',
        test: 'an error of the database holds nothing of what was sent',
      },
    ],
  },
  {
    name: 'slow-reader-holds-its-turn',
    promise: 'a caller who reads an answer slowly keeps nobody of its business waiting',
    file: 'packages/server/src/platform/http/limits/business-turns.ts',
    find: '    request.turn?.end()\n',
    replace: '',
    caughtBy: [{ file: turns, test: 'callers who do not read their answers' }],
  },
  {
    name: 'turn-held-at-the-provider',
    promise: 'a request that waits for the provider keeps no other request of its business waiting',
    file: 'packages/server/src/provider/bridge/client.ts',
    find: '    turn.pause()\n',
    replace: '',
    caughtBy: [{ file: turns, test: 'a request that waits for the provider holds no turn' }],
  },
  {
    name: 'no-turn-after-the-provider',
    promise: 'of one business few requests are worked on at a time, after the provider has answered, too',
    file: 'packages/server/src/provider/bridge/client.ts',
    find: 'if (underWay === 0) await turn.resume()',
    replace: '',
    caughtBy: [{ file: turns, test: 'what follows an answer of the provider' }],
  },
  {
    name: 'readiness-believes-its-probe',
    promise: 'a process whose writes are refused is not ready, whatever its probe finds',
    file: 'packages/server/src/platform/postgres/connecting/pools.ts',
    find: 'if (!isProbe) readiness.noteRefusal()',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/readiness-refused.test.ts',
        test: 'writes that are refused for want of room make it not ready within ten seconds, whatever a probe finds',
      },
    ],
  },
  {
    name: 'event-read-before-its-header',
    promise: 'a provider event whose header cannot be right costs no body',
    file: 'packages/server/src/events/ingest/operations.ts',
    find: '    onRequest: (request) => request.server.eventDoor.admit(request),\n',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/http/receive-provider-webhook.test.ts',
        test: 'a header that no body can fit is refused before a byte of the body is read',
      },
    ],
  },
  {
    name: 'metrics-made-for-each-caller',
    promise: 'however many ask for the metrics, their text is made once a second',
    file: 'packages/server/src/app/metrics/routes.ts',
    find: 'if (page === null || performance.now() - renderedAtMs > freshMs) {',
    replace: 'if (true) {',
    caughtBy: [
      {
        file: 'packages/server/test/metrics.test.ts',
        test: 'however many ask, the text is made once a second, and every caller gets it',
      },
    ],
  },
  {
    name: 'poll-outlives-sign-out',
    promise: 'signing out of the console ends its polls',
    file: 'packages/server/src/console/sessions.ts',
    find: '  if (keyId !== null) await notifyKeysChanged(tx, businessId)\n',
    replace: '',
    caughtBy: [
      { file: 'packages/server/test/console-sessions.test.ts', test: 'ends a poll that waits for events at once' },
    ],
  },
  {
    name: 'local-link-through-a-tunnel',
    promise: 'a link of a local environment signs nobody in through a tunnel or a proxy',
    file: 'packages/server/src/platform/http/this-machine.ts',
    find: '!Object.keys(headers).some((name) => forwarding.test(name))',
    replace: 'headers !== null',
    caughtBy: [
      { file: 'packages/server/test/console-sessions.test.ts', test: 'is signed in by no link, and uses none up' },
    ],
  },
]
