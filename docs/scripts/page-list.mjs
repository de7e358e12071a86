// The list of all pages in the order of the sidebar, for `llms.txt`.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pages = fileURLToPath(new URL('../src/content/docs/', import.meta.url))
const openapi = new URL('../../packages/server/openapi.json', import.meta.url)

/** @param address where the site is */
export function pageList(sidebar, address) {
  const { paths } = JSON.parse(readFileSync(openapi, 'utf8'))
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const lines = (items) =>
    items.flatMap((item) => {
      if (typeof item !== 'string') return lines(item.items)
      if (item !== 'API') return guide(item)
      return operations.map(({ operationId, summary }) => {
        return `- [${summary}](${address}/reference/api/operations/${operationId.toLowerCase()}.md)`
      })
    })
  const guide = (page) => {
    const [file] = globSync(`${page}.{md,mdx}`, { cwd: pages })
    const text = readFileSync(`${pages}${file}`, 'utf8')
    return `- [${fact(text, 'title')}](${address}/${page}.md): ${fact(text, 'description')}`
  }
  return sidebar.map(({ label, items }) => `${label}:\n\n${lines(items).join('\n')}`).join('\n\n')
}

/** A value of the frontmatter, which is one line here. */
function fact(page, name) {
  return new RegExp(`^${name}: (['"]?)(.*)\\1$`, 'm').exec(page)?.[2] ?? ''
}
