#!/usr/bin/env node
// Starts the release bundle (`npm run build` makes it), or says in one line why it cannot.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(`causeway-server needs Node 24 or newer and this is ${process.version}.`)
  process.exit(78)
}
await import('../dist/lib/serve.js')
