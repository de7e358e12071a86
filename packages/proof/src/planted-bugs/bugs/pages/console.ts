// Bugs in the sign-in to the console and its sessions.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { PlantedBug } from '../../planted-bug.ts'

const store = 'packages/server/src/console/store.ts'
const terminalLogin = 'packages/cli/src/profile/browser-login.ts'
const terminalLoginTest = 'packages/cli/test/browser-login.test.ts'
const browser = 'packages/server/src/console/browser.ts'
const sessions = 'packages/server/test/console-sessions.test.ts'

export const consoleBugs: readonly PlantedBug[] = [
  {
    name: 'console-link-used-twice',
    promise: 'a link into the console signs in once',
    file: store,
    find: 'and l.used_at is null ',
    replace: '',
    caughtBy: [
      { file: sessions, test: 'replayed link' },
      { file: sessions, test: 'with one link at the same moment' },
    ],
  },
  {
    name: 'session-outlives-its-key',
    promise: 'the end of a key ends the sessions of the console that act with it',
    file: store,
    find: 'k.id = s.key_id and ${isLiveSql(query)}',
    replace: 'k.id = s.key_id',
    caughtBy: [{ file: sessions, test: 'the end of the key ends its sessions' }],
  },
  {
    name: 'session-outlives-its-link',
    promise: 'a link that is revoked takes its session with it',
    file: store,
    find: 'await tx`delete from console_sessions where business_id = ${businessId} and link_id = ${id}`',
    replace: '',
    caughtBy: [
      { file: 'packages/server/test/http/revoke-console-link.test.ts', test: 'the session that a link has opened' },
    ],
  },
  {
    name: 'operator-session-outlives-the-secret',
    promise: 'a new operator secret ends the sessions of the operator',
    file: 'packages/server/src/console/sessions.ts',
    find: '`${config.adminSecret}\\0${token}`',
    replace: 'token',
    caughtBy: [{ file: sessions, test: 'a new operator secret ends' }],
  },
  {
    name: 'chains-locked-in-any-order',
    promise: 'browsers that change between the same businesses never wait for each other in a circle',
    file: 'packages/server/src/console/sessions.ts',
    find: 'of inOrder) await appendAudit',
    replace: 'of entries) await appendAudit',
    caughtBy: [{ file: sessions, test: 'browsers that change between two businesses' }],
  },
  {
    name: 'cookie-without-the-header',
    promise: 'a form cannot make a browser act in the console',
    file: browser,
    find: 'headers[header] === undefined || !isOwn',
    replace: '!isOwn',
    caughtBy: [{ file: sessions, test: 'that does not name the header' }],
  },
  {
    name: 'cookie-from-a-neighbour',
    promise: 'a page of another origin on the same domain cannot make a browser act in the console',
    file: browser,
    find: ": site === 'same-origin'",
    replace: ": site !== 'cross-site'",
    caughtBy: [{ file: sessions, test: 'a script of a neighbour that names the header' }],
  },
  {
    name: 'planted-cookie-read-over-https',
    promise: 'a neighbour on the same domain cannot plant a session',
    file: browser,
    find: "secure ? '__Host-causeway_session' : 'causeway_session'",
    replace: "'causeway_session'",
    caughtBy: [{ file: sessions, test: 'over https the cookie is of this host alone' }],
  },
  {
    name: 'terminal-signed-in-by-a-stranger',
    promise: 'a page that does not know the state of a sign-in cannot hand a key to the terminal',
    file: terminalLogin,
    find: "url.searchParams.get('state') !== state",
    replace: 'false',
    caughtBy: [{ file: terminalLoginTest, test: 'who does not know the state' }],
  },
  {
    name: 'terminal-heard-under-another-name',
    promise: 'a page cannot reach the listener of a sign-in by a name of its own for this computer',
    file: terminalLogin,
    find: 'request.headers.host !== `${host}:${port}`',
    replace: 'false',
    caughtBy: [{ file: terminalLoginTest, test: 'who does not know the state' }],
  },
]
