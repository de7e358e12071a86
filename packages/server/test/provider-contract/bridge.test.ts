// The adapter for Bridge tells every story of the contract.

import { bridge } from './bridge.ts'
import { judge } from './contract.ts'
import { stories } from './stories.ts'

judge('Bridge', bridge, stories)
