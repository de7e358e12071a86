// Checks an unpacked tarball: every package has a manifest, a license, a README and a changelog that work outside of the checkout.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (path: string): string => readFileSync(path, 'utf8')

/**
 * Checks an unpacked package: manifest, license, README and changelog with links that work from here.
 * @throws AssertionError
 */
export function checkContents(folder: string): void {
  const manifest = JSON.parse(read(join(folder, 'package.json')))
  for (const member of ['private', 'scripts', 'dependencies', 'devDependencies'])
    assert.equal(manifest[member], undefined, `${manifest.name} has ${member}`)
  assert.equal(manifest.license, 'Apache-2.0')
  for (const member of ['homepage', 'bugs', 'description'])
    assert.ok(manifest[member], `${manifest.name} has no ${member}`)
  assert.match(manifest.repository.url, /^git\+https:/)
  assert.match(read(join(folder, 'LICENSE')), /Apache License/)
  assert.match(read(join(folder, 'CHANGELOG.md')), /^## /m)
  for (const name of ['README.md', 'CHANGELOG.md']) checkLinks(folder, name)
}

function checkLinks(folder: string, name: string): void {
  for (const [, link = ''] of read(join(folder, name)).matchAll(/\]\(([^)\s]+)\)/g)) {
    const works = /^(https:|#)/.test(link) || existsSync(join(folder, link.replace(/#.*/, '')))
    assert.ok(works, `${name} links to ${link}, which the package does not contain`)
  }
}

/** @throws AssertionError unless the licenses of these packages are in the folder */
export function checkNotices(folder: string, packages: readonly string[]): void {
  const notices = read(join(folder, 'THIRD-PARTY-LICENSES.txt'))
  for (const name of packages)
    assert.match(notices, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\S*\\n\\n.{10}`, 'm'), `no license of ${name}`)
}
