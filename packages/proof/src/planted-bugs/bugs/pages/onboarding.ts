// Bugs in the onboarding links, their page, and what it sends.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../../planted-bug.ts'

const onboarding = 'packages/server/src/onboarding'
const store = `${onboarding}/store.ts`
const routes = `${onboarding}/page.routes.ts`
const uploads = `${onboarding}/uploads/uploads.ts`
const tests = 'packages/server/test'
const paging = `${tests}/onboarding-page.test.ts`
const uploading = `${tests}/onboarding-upload.test.ts`
const limiting = `${tests}/onboarding-limits.test.ts`

export const onboardingBugs: readonly PlantedBug[] = [
  {
    name: 'revoked-link-still-answers',
    promise: 'the page of a link that was revoked can do nothing more',
    file: store,
    find: `l.session_until > now() and l.abandoned_at is null
      and l.revoked_at is null and l.expires_at > now()`,
    replace: 'l.session_until > now() and l.abandoned_at is null and l.expires_at > now()',
    also: [
      {
        file: store,
        find: `set revoked_at = now(), session_digest = null
    where l.business_id = \${businessId} and l.id = \${id}`,
        replace: `set revoked_at = now()
    where l.business_id = \${businessId} and l.id = \${id}`,
      },
    ],
    caughtBy: [{ file: uploading, test: 'a link that was revoked takes no piece' }],
  },
  {
    name: 'expired-link-opens',
    promise: 'a link opens nothing when its time is over',
    file: store,
    find: `and l.revoked_at is null and l.expires_at > now()
      and l.openings`,
    replace: 'and l.revoked_at is null and l.openings',
    caughtBy: [{ file: paging, test: 'a code that is wrong, cut, of another kind, or expired' }],
  },
  {
    name: 'completed-link-told-as-abandoned',
    promise: 'the event of a link tells whether the end-user was approved',
    file: `${onboarding}/links.ts`,
    find: "const end = isApproved ? 'completed' : 'abandoned'",
    replace: "const end = 'abandoned' as 'completed' | 'abandoned'",
    caughtBy: [{ file: paging, test: 'from terms to approval' }],
  },
  {
    name: 'page-shows-the-notes-of-the-business',
    promise: 'the page shows nothing that the business keeps for itself',
    file: `${onboarding}/page.ts`,
    find: 'rejectionReasons: user.rejectionReasons,',
    replace: 'rejectionReasons: user.rejectionReasons,\n    metadata: user.metadata,',
    caughtBy: [{ file: paging, test: 'the page shows nothing that the business keeps' }],
  },
  {
    name: 'upload-digest-not-compared',
    promise: 'pieces are a submission only if they have its digest',
    file: uploads,
    find: "if (hash.digest('hex') === digest) return",
    replace: "if (hash.digest('hex') !== '') return",
    caughtBy: [{ file: uploading, test: 'pieces with another digest are no submission' }],
  },
  {
    name: 'upload-of-another-page-taken',
    promise: 'a page reaches only the pieces that it has sent itself',
    file: uploads,
    find: 'const upload = this.#byPage.get(pageId)',
    replace: 'const upload = [...this.#byPage.values()].find((each) => each.digest === digest)',
    caughtBy: [{ file: uploading, test: 'a page has nothing of what another page has sent' }],
  },
  {
    name: 'upload-kept-after-the-answer',
    promise: 'nothing is kept of a submission that was answered',
    file: `${onboarding}/uploads/submission.ts`,
    find: 'if (request.errorCode === null || !isRetryable(request.errorCode)) uploads.drop',
    replace: "if (request.errorCode === 'internal_error') uploads.drop",
    caughtBy: [{ file: uploading, test: 'with one piece lost and one repeated' }],
  },
  {
    name: 'upload-room-without-an-end',
    promise: 'the pieces of all pages take a bounded part of the memory',
    file: uploads,
    find: 'if (this.load.places + places > piecesMax) throw',
    replace: 'if (places > piecesMax) throw',
    caughtBy: [{ file: uploading, test: 'who has no room is told when to come back' }],
  },
  {
    name: 'upload-past-the-limits-of-a-body',
    promise: 'a submission in pieces is no larger than one that comes whole',
    file: uploads,
    find: "if (submission.bytes > bytesMax) throw fail('payload_too_large'",
    replace: "if (submission.bytes > 2 * bytesMax) throw fail('payload_too_large'",
    caughtBy: [{ file: uploading, test: 'a piece that is too large, or of a submission that is' }],
  },
  {
    name: 'pieces-without-a-rate',
    promise: 'a page sends a bounded number of pieces a minute',
    file: `${onboarding}/uploads/routes.ts`,
    find: 'requireAllowed(await request.server.rateLimits.uploadPieces.take(link.id))',
    replace: '',
    caughtBy: [{ file: limiting, test: 'pieces a minute, whatever becomes of them' }],
  },
  {
    name: 'checks-taken-for-submissions',
    promise: 'what is checked while somebody types takes nothing of the submissions',
    file: routes,
    find: 'if (isCheck(request)) requireAllowed(await request.server.rateLimits.kycChecks.take(link.id))\n        else await',
    replace: 'await',
    caughtBy: [{ file: limiting, test: 'checks a minute, which take nothing of its submissions' }],
  },
  {
    name: 'submissions-taken-for-checks',
    promise: 'a submission is counted, whatever its query looks like',
    file: routes,
    find: "dryRun === 'true'",
    replace: "dryRun !== 'false'",
    caughtBy: [{ file: limiting, test: 'what only looks like a check counts' }],
  },
]
