// Builds a package of pages (`build-pages.js console`, `build-pages.js onboarding`) beside its place and then puts it there, so
// that a server that sends it is not disturbed. Each file has its compressed form beside it, and the licenses of the packages in it
// are in THIRD-PARTY-LICENSES.txt.
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { noticesPlugin } from './packing/notices.js'

const root = join(import.meta.dirname, '../packages', process.argv[2] ?? '')
const dist = join(root, 'dist')
const building = `${dist}-${process.pid}`

try {
  if (!existsSync(join(root, 'vite.config.ts')))
    throw new Error('build-pages.js takes a package of pages: console, onboarding')
  const notices = noticesPlugin((source, context) =>
    context.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source }),
  )
  await build({ root, logLevel: 'error', plugins: [notices], build: { outDir: building, emptyOutDir: true } })
  for (const file of globSync('**/*.{js,css,svg,html}', { cwd: building })) {
    const path = join(building, file)
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }))
  }
  rmSync(dist, { recursive: true, force: true })
  renameSync(building, dist)
} catch (error) {
  rmSync(building, { recursive: true, force: true })
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
