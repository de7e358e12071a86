// What every hosted page of Bridge gets.
import type { EmbedOrigins } from '../../pages/origins.ts'
import type { World } from '../state/world.ts'

export type PageContext = { world: World; embedOrigins: EmbedOrigins }
