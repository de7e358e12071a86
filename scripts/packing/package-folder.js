// Completes a folder for `npm pack`: a manifest without what only the checkout needs, the license, the notices of the packages
// that the bundle contains, the README and the changelog, with links that work outside of the checkout.
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * @param source the folder of the package in the checkout
 * @param dist the folder that `npm pack` takes, built already
 * @param changelog for the readers of this package, below the root
 * @param notices `THIRD-PARTY-LICENSES.txt`, or nothing for a package that bundles no other
 * @param extra members to add to the manifest
 */
export function completePackage(source, dist, { changelog = 'CHANGELOG.md', notices, extra = {} }) {
  const manifest = packedManifest(readJson(join(source, 'package.json')), extra)
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
  if (notices !== undefined) writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices)
  const site = manifest.repository.url.replace(/^git\+|\.git$/g, '')
  for (const [name, from] of [
    ['README.md', join(source, 'README.md')],
    ['CHANGELOG.md', join(root, changelog)],
  ])
    writeFileSync(join(dist, name), portable(readFileSync(from, 'utf8'), resolve(from, '..'), dist, site))
}

/** `dist` of the checkout is the root of the package, and the bundle contains what `dependencies` names. */
function packedManifest(manifest, extra) {
  const { private: _private, files: _files, scripts, dependencies, devDependencies, ...kept } = manifest
  return JSON.parse(JSON.stringify({ ...kept, ...extra }), (name, value) => {
    if (name === '@causeway/source') return undefined
    return typeof value === 'string' ? value.replace(/^\.\/dist\//, './') : value
  })
}

/** A link to a file of the package stays relative; any other file of the checkout is linked at the site of the repository. */
function portable(text, folder, dist, site) {
  return text.replace(/\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)/g, (_whole, link, hash = '') => {
    const target = resolve(folder, link)
    if (!existsSync(target)) throw new Error(`${folder} links to ${link}, which does not exist`)
    const isPacked = !relative(folder, target).startsWith('..') && existsSync(join(dist, relative(folder, target)))
    const kind = statSync(target).isDirectory() ? 'tree' : 'blob'
    return `](${isPacked ? link : `${site}/${kind}/main/${relative(root, target)}`}${hash})`
  })
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
