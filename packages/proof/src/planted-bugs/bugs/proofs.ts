// Bugs that only a proof of several processes can catch: `npm run planted-bugs -- --proofs` tries them.

import type { PlantedBug } from '../planted-bug.ts'

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
]
