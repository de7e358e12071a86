// Builds the documentation as a site. Its packages are a project of their own: installed when they are missing or others than
// its lockfile names. The site is built beside its place and then put there, so that a server that sends it is not disturbed.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const docs = join(import.meta.dirname, '../docs')
const lock = join(docs, 'package-lock.json')
const installed = join(docs, 'node_modules/.causeway-lock.json')
const dist = join(docs, 'dist')
const building = `${dist}-${process.pid}`

const env = {
  ...process.env,
  ASTRO_TELEMETRY_DISABLED: '1',
  // npm's own scripts and the site's find the Node that runs this script.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
}
const isWindows = process.platform === 'win32'
/** Runs a part of the build, and ends with its code where it fails: it has said why. */
function run(file, args, shell = false) {
  const { status, error } = spawnSync(file, args, { cwd: docs, env, shell, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) console.error(error.message)
  if (status === 0) return
  rmSync(building, { recursive: true, force: true })
  process.exit(status ?? 1)
}

const isInstalled = existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))
if (!isInstalled) {
  run('npm', ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'], isWindows)
  cpSync(lock, installed)
}
run(process.execPath, [join(docs, 'node_modules/astro/bin/astro.mjs'), 'build', '--silent', '--outDir', building])
rmSync(dist, { recursive: true, force: true })
renameSync(building, dist)
