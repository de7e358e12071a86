// The licenses and notices of the packages that a bundle contains. Most licenses ask that they travel with every copy.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * @param files the modules and style sheets of the bundle, as absolute paths
 * @returns the contents of `THIRD-PARTY-LICENSES.txt`
 */
export function noticesOf(files) {
  const packages = new Map()
  for (const file of files) {
    const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/')) ?? []
    if (folder && !packages.has(folder)) packages.set(folder, noticeOf(folder))
  }
  return [...new Set(packages.values())].sort().join(`\n${'-'.repeat(80)}\n\n`)
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const names = readdirSync(folder).filter((entry) => /^(licen[cs]e|copying|notice)/i.test(entry))
  const texts = names.sort().map((entry) => readFileSync(join(folder, entry), 'utf8').trim())
  return `${name} ${version}\n\n${texts.length > 0 ? texts.join('\n\n') : `License: ${license}`}\n`
}

/** A plugin of Vite that hands over the licenses of a build. The imports of a style sheet are no modules, so they are read here. */
export function noticesPlugin(use) {
  return {
    name: 'licenses of the bundle',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
      const sheets = [...this.getModuleIds()].map((id) => id.replace(/\?.*/, '')).filter((id) => id.endsWith('.css'))
      use(noticesOf([...modules, ...new Set(sheets.flatMap(importsOf))]), this)
    },
  }
}

function importsOf(sheet) {
  const imports = readFileSync(sheet, 'utf8').matchAll(/@import\s+(?:url\()?['"]([^'".][^'"]*)['"]/g)
  return [...imports].map(([, name]) => join(root, 'node_modules', name, 'package.json'))
}
