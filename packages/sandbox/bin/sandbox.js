#!/usr/bin/env node
// The entry: refuses an old Node in one line, then runs the TypeScript. Node's compile cache lies in node_modules, where
// `npm ci` removes it, and halves the time of the next start.
import * as node from 'node:module'
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `the sandbox needs Node 24 or newer and this is ${process.version}: use "npm run", which brings Node 24 along.`,
  )
  process.exit(78)
}
node.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/causeway', import.meta.url)))
await import('../src/main.ts')
