// The first five minutes: what `npm start` begins it ends, and what a newcomer removes is gone.

import type { PlantedBug } from '../planted-bug.ts'

const signals = 'packages/server/src/cli/signals.ts'
const launcherGone = 'packages/server/test/cli-launcher-gone.test.ts'

export const firstMinutesBugs: readonly PlantedBug[] = [
  {
    name: 'server-outlives-its-npm',
    promise: 'an npm that is told to end leaves no server, emulator or database',
    file: signals,
    find: "watchLauncher(() => stop('launcher ended'))",
    replace: '',
    caughtBy: [{ file: launcherGone, test: 'of its own leaves no server' }],
  },
  {
    name: 'closed-terminal-leaves-the-database',
    promise: 'a closed terminal leaves no database',
    file: signals,
    find: "process.on('SIGHUP', stop)",
    replace: '',
    caughtBy: [{ file: launcherGone, test: 'a terminal that is closed' }],
  },
]
