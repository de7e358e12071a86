// The planted bugs, by theme. One more is an entry in one of these files, of five lines; how they are written stands in
// planted-bug.ts.

import { eventBugs } from './bugs/events.ts'
import type { PlantedBug } from './planted-bug.ts'

export const bugs: readonly PlantedBug[] = [...eventBugs]
