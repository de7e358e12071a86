#!/usr/bin/env node
// The door of the packed command line: refuses an old Node in one line. What Node makes of the bundle is kept where Node keeps
// such things, so that the next start is quicker.
import * as node from 'node:module'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(`causeway needs Node 24 or newer and this is ${process.version}.`)
  process.exit(78)
}
node.enableCompileCache()
await import('../lib/main.js')
