#!/usr/bin/env node
// The door: refuses an old Node in one line, then hands over to the TypeScript command line.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(
    `causeway needs Node 24 or newer and this is ${process.version}: use "npm run", which brings Node 24 along.`,
  )
  process.exit(78)
}
await import('../src/cli/main.ts')
