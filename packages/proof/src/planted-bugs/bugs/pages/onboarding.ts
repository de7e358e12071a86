// Bugs in the onboarding links, their page, and what it sends.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../../planted-bug.ts'

export const onboardingBugs: readonly PlantedBug[] = [
  {
    name: 'revoked-link-still-answers',
    promise: 'the page of a link that was revoked can do nothing more',
    row: 8,
    in: 'server',
    find: 'l.session_until > now() and l.abandoned_at is null and l.revoked_at is null and l.expires_at > now()',
    replace: 'l.session_until > now() and l.abandoned_at is null and l.expires_at > now()',
    also: [
      {
        in: 'server',
        find: 'set revoked_at = now(), session_digest = null where l.business_id = ${businessId} and l.id = ${id}',
        replace: `set revoked_at = now()
    where l.business_id = \${businessId} and l.id = \${id}`,
      },
    ],
    caughtBy: ['a link that was revoked takes no submission'],
  },
  {
    name: 'expired-link-opens',
    promise: 'a link opens nothing when its time is over',
    row: 8,
    in: 'server',
    find: 'and l.revoked_at is null and l.expires_at > now() and l.openings',
    replace: 'and l.revoked_at is null and l.openings',
    caughtBy: ['a code that is wrong, cut, of another kind, or expired'],
  },
  {
    name: 'completed-link-told-as-abandoned',
    promise: 'the event of a link tells whether the end-user was approved',
    row: null,
    in: 'server',
    find: "const end = isApproved ? 'completed' : 'abandoned'",
    replace: "const end = 'abandoned' as 'completed' | 'abandoned'",
    caughtBy: ['from terms to approval'],
  },
  {
    name: 'page-shows-the-notes-of-the-business',
    promise: 'the page shows nothing that the business keeps for itself',
    row: 7,
    in: 'server',
    find: 'rejectionReasons: user.rejectionReasons,',
    replace: `rejectionReasons: user.rejectionReasons,
    metadata: user.metadata,`,
    caughtBy: ['the page shows nothing that the business keeps'],
  },
  {
    name: 'submission-of-a-page-without-its-key',
    promise: 'a submission that a page repeats has one effect',
    row: 2,
    in: 'server',
    find: 'idempotent: true,',
    replace: '',
    caughtBy: ['sent again with its key has one effect'],
  },
  {
    name: 'submission-key-of-all-pages',
    promise: 'the Idempotency-Key of a page means nothing on another page',
    row: 7,
    in: 'server',
    find: "auth === 'page' ? `${request.method} ${path} ${sessionId}` :",
    replace: "auth === 'page' ? `${request.method} ${path}` :",
    caughtBy: ['a key belongs to its page'],
  },
  {
    name: 'submission-answered-with-the-end-user',
    promise: 'a page is shown nothing that the business keeps for itself, also in a response that is stored',
    row: 7,
    in: 'server',
    find: 'problems: Type.Optional(Type.Array(problem)) })',
    replace: 'problems: Type.Optional(Type.Array(problem)) }, { additionalProperties: true })',
    caughtBy: ['the response holds nothing about the end-user'],
  },
  {
    name: 'checks-taken-for-submissions',
    promise: 'what is checked while somebody types takes nothing of the submissions',
    row: 18,
    in: 'server',
    find: 'if (isCheck(request)) requireAllowed(await request.server.rateLimits.kycChecks.take(link.id)) else await',
    replace: 'await',
    caughtBy: ['checks a minute, which take nothing of its submissions'],
  },
  {
    name: 'submissions-taken-for-checks',
    promise: 'a submission is counted, whatever its query looks like',
    row: 18,
    in: 'server',
    find: "dryRun === 'true'",
    replace: "dryRun !== 'false'",
    caughtBy: ['what only looks like a check counts'],
  },
]
