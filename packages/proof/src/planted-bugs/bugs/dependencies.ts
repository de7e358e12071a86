// Bugs in what is installed.

import type { PlantedBug } from '../planted-bug.ts'

export const dependencyBugs: readonly PlantedBug[] = [
  {
    name: 'dependency-asked-for-by-a-range',
    promise: 'an upgrade of a dependency is a change that somebody looks at',
    row: 17,
    in: 'server',
    find: '"fastify": "',
    replace: '"fastify": "^',
    caughtBy: ['dependencies are pinned, inert, hashed, and each has its place'],
  },
  {
    name: 'install-scripts-run',
    promise: 'no package runs a program when it is installed',
    row: 17,
    in: 'workspace',
    find: 'ignore-scripts=true',
    replace: 'ignore-scripts=false',
    caughtBy: ['dependencies are pinned, inert, hashed, and each has its place'],
  },
]
