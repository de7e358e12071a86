// Makes what a release consists of, in `dist/release`: the packed server, what it is made of (CycloneDX), the packed SDK, the
// packed command line, and checksums.
// Publishing stays with whoever holds the keys: this script sends nothing anywhere.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const release = join(root, 'dist/release')
const npm = (...args) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

rmSync(release, { recursive: true, force: true })
mkdirSync(release, { recursive: true })
const builds = [
  ['scripts/build-docs.js'],
  ['scripts/build-pages.js', 'console'],
  ['scripts/build-pages.js', 'onboarding'],
  ['scripts/build.js'],
  ['packages/sdk/scripts/build.js'],
  ['packages/cli/scripts/build.js'],
]
for (const build of builds) execFileSync(process.execPath, build, { cwd: root, stdio: 'inherit' })
for (const name of ['server', 'sdk', 'cli'])
  npm('pack', '--silent', join(root, 'packages', name, 'dist'), '--pack-destination', release)
const parts = [
  'sbom',
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
  '--omit=dev',
  '--workspace=@causeway/server',
  '--workspace=@causeway/cli',
]
writeFileSync(join(release, 'sbom.cdx.json'), npm(...parts))
const lines = readdirSync(release)
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(release, name)))
        .digest('hex')}  ${name}\n`,
  )
writeFileSync(join(release, 'SHA256SUMS'), lines.join(''))
process.stdout.write(lines.join(''))
