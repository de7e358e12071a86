// A second copy of the server's modules in this process, without the first check between businesses: every `business_id
// = …` in the SQL of a store is removed. Only row-level security remains.

import { registerHooks } from 'node:module'

const mark = '?one-wall'
const condition = /\b(?:\w+\.)?business_id = \$\{(\w+(?:\.\w+)*)\}/g
let removed = 0

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const isCopied = context.parentURL?.endsWith(mark) && found.url.includes('/server/src/')
    return isCopied ? { ...found, url: `${found.url}${mark}` } : found
  },
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(mark)) return loaded
    const source = String(loaded.source).replace(condition, (_, value: string) => {
      removed += 1
      return `\${${value}}::text is not null`
    })
    return { ...loaded, source }
  },
})

type Modules = {
  createApp: typeof import('../src/app/http-server.ts').createApp
  createDeps: typeof import('../src/main.ts').createDeps
  openDatabase: typeof import('../src/platform/postgres/db.ts').openDatabase
  /** How many conditions were taken out. */
  removed: number
}

export async function modulesWithoutFirstWall(): Promise<Modules> {
  const load = async (path: string) => await import(new URL(path, import.meta.url).href + mark)
  const { createDeps } = await load('../src/main.ts')
  const { createApp } = await load('../src/app/http-server.ts')
  const { openDatabase } = await load('../src/platform/postgres/db.ts')
  return { createApp, createDeps, openDatabase, removed }
}
