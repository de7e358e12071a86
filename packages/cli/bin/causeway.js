#!/usr/bin/env node
// The door: refuses an old Node in one line, then hands over to the TypeScript command line. What Node makes of the sources
// is kept beside the packages, where `npm ci` removes it: the next start takes half the time.
import * as node from 'node:module'
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `causeway needs Node 24 or newer and this is ${process.version}: use "npm run", which brings Node 24 along.`,
  )
  process.exit(78)
}
node.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/causeway', import.meta.url)))
await import('../src/main.ts')
