// The registration of Bridge's hosted pages.
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { serveAssets } from '../../pages/layout.ts'
import { normaliseEmbedOrigins } from '../../pages/origins.ts'
import { hostedPages } from '../../pages/pages.ts'
import type { World } from '../state/world.ts'
import { registerKycPage } from './kyc-page.ts'
import { registerTosPage } from './tos-page.ts'

/** Registers `/accept-terms-of-service`, `/verify`, `/widget` and their scripts. */
export const registerPages = async (app: FastifyInstance, world: World): Promise<void> => {
  const context = { world, embedOrigins: normaliseEmbedOrigins(world.settings.embedOrigins) }
  await hostedPages(app, (scope) => {
    serveAssets(scope, join(import.meta.dirname, 'assets'), ['tos.js', 'kyc.js'])
    registerTosPage(scope, context)
    registerKycPage(scope, context)
  })
}
