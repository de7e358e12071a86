// The first five minutes: what `npm start` begins it ends, and what a newcomer removes is gone.

import type { PlantedBug } from '../planted-bug.ts'

const signals = 'packages/server/src/process/signals.ts'
const launcherGone = 'packages/cli/test/launcher-gone.test.ts'
const listener = 'packages/cli/test/listen.test.ts'
const stateGone = 'packages/embedded-postgres/test/embedded-state-gone.test.ts'

export const firstMinutesBugs: readonly PlantedBug[] = [
  {
    name: 'server-outlives-its-npm',
    promise: 'an npm that is told to end leaves no server, emulator or database',
    file: signals,
    find: "watchLauncher(() => stop('launcher ended'))",
    replace: '',
    caughtBy: [{ file: launcherGone, test: 'npm that is told to end leaves no server' }],
  },
  {
    name: 'closed-terminal-leaves-the-database',
    promise: 'a closed terminal leaves no database',
    file: signals,
    find: "process.on('SIGHUP', stop)",
    replace: '',
    caughtBy: [{ file: launcherGone, test: 'a terminal that is closed' }],
  },
  {
    name: 'removed-state-folder-finds-its-old-database',
    promise: 'a removed state folder is a fresh start, also as root',
    file: 'packages/cli/src/world/world.ts',
    find: "unclaimed: 'setAside'",
    replace: "unclaimed: 'use'",
    caughtBy: [{ file: stateGone, test: 'a removed state folder is a fresh start' }],
  },
  {
    name: 'inbox-knows-one-secret',
    promise: 'an inbox verifies by the secret of each endpoint that points at it',
    file: 'packages/sandbox/src/inbox/signature.ts',
    find: 'const isValid = keys.some((key) => {',
    replace: 'const isValid = keys.slice(0, 1).some((key) => {',
    caughtBy: [
      { file: 'packages/sandbox/test/inbox-http.test.ts', test: 'each endpoint that points at an inbox is verified' },
    ],
  },
  {
    name: 'assistant-sees-keys',
    promise: 'no key reaches an assistant',
    file: 'packages/cli/src/mcp/serve.ts',
    find: ".replace(secretForms, '$1…')",
    replace: '',
    caughtBy: [{ file: 'packages/cli/test/mcp.test.ts', test: 'a key never reaches an assistant' }],
  },
  {
    name: 'assistant-writes-unasked',
    promise: 'an assistant changes nothing without --write',
    file: 'packages/cli/src/mcp/tools.ts',
    find: 'return mayWrite ? ',
    replace: 'return mayWrite || reading.length > 0 ? ',
    caughtBy: [{ file: 'packages/cli/test/mcp.test.ts', test: 'without --write every tool only reads' }],
  },
  {
    name: 'resend-not-forwarded',
    promise: 'what is sent again on demand reaches a listener',
    file: 'packages/cli/src/listening/resends.ts',
    find: "eventType === 'event.resent' && source === 'causeway'",
    replace: "eventType === 'event.resend' && source === 'causeway'",
    caughtBy: [{ file: listener, test: 'an event, a delivery and a test that are sent on demand' }],
  },
  {
    name: 'fixture-deposit-made-twice',
    promise: 'a world that is applied a second time changes nothing',
    file: 'packages/cli/src/fixtures/steps/deposit.ts',
    find: 'deposit.senderName === senderName &&',
    replace: 'deposit.senderName !== senderName &&',
    caughtBy: [{ file: 'packages/cli/test/fixtures.test.ts', test: 'a world is made once' }],
  },
]
