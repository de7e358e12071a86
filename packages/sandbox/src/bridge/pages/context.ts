// The context of every hosted page of Bridge.
import type { EmbedOrigins } from '../../pages/origins.ts'
import type { World } from '../state/world.ts'

export type PageContext = { world: World; embedOrigins: EmbedOrigins }
