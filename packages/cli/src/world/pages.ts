// The pages of a local environment: built in the background after the start, with a printed line for each page.

import type { Env } from '../local-state.ts'
import { consoleBuilder, docsBuilder, onboardingBuilder, type SiteBuilder } from './site-builder.ts'
import type { World } from './world.ts'

/** `url` is null for pages that open only with a link. */
export type Page = { name: string; url: string | null; builder: SiteBuilder }

/** Lets the server build requested pages, and builds pages in the background. `BUILD_PAGES=never` builds none. */
export function servePages({ facts, server }: World, env: Env, say: (line: string) => void): { stop(): Promise<void> } {
  if (env['BUILD_PAGES'] === 'never') return { stop: async () => {} }
  const { baseUrl, consoleUrl } = facts
  const sites = { console: consoleBuilder(env), onboarding: onboardingBuilder(env), docs: docsBuilder(env) }
  if (server.console.host) server.console.host.build = sites.console.build
  if (server.docs.host) server.docs.host.build = sites.docs.build
  server.onboarding.build = sites.onboarding.build
  const pages = [
    { name: 'console', url: consoleUrl, builder: sites.console },
    { name: 'onboarding page', url: null, builder: sites.onboarding },
    { name: 'documentation', url: `${baseUrl}/docs/`, builder: sites.docs },
  ]
  // A CI machine reads no pages, so pages are built only on request.
  return env['CI'] ? { stop: () => stopAll(pages) } : buildInBackground(pages, say)
}

const stopAll = async (pages: readonly Page[]): Promise<void> => {
  await Promise.all(pages.map(({ builder }) => builder.stop()))
}

/** Builds missing and outdated pages, one after the other. */
export function buildInBackground(pages: readonly Page[], say: (line: string) => void): { stop(): Promise<void> } {
  let isOver = false
  const run = async (): Promise<void> => {
    for (const { name, url, builder } of pages) {
      if (isOver) return
      if (builder.build().state !== 'building') continue
      const end = await builder.settled()
      if (isOver) return
      const isFailed = end.state === 'failed'
      say(
        isFailed
          ? `  The ${name} was not built. See why: ${end.command}`
          : `  The ${name} is ready${url ? `: ${url}` : ''}`,
      )
    }
  }
  const running = run()
  return {
    async stop() {
      isOver = true
      await stopAll(pages)
      await running
    },
  }
}
