// Links between pages are written as paths of files, which the host of the repository follows. On the site they become
// addresses; a link to a file that is not part of the site becomes its text with the path in the repository.
import { basename, dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineHastPlugin } from 'satteri'

const pages = fileURLToPath(new URL('../src/content/docs/', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))

/** @param base where the site stands, such as `/docs` */
export function pageLinks(base) {
  return ({ fileURL }) => {
    if (!fileURL) return
    const folder = dirname(fileURLToPath(fileURL))
    return defineHastPlugin({
      name: 'page-links',
      element: {
        filter: ['a'],
        visit(node, context) {
          const href = node.properties.href
          if (typeof href !== 'string' || /^([a-z]+:|#|\/)/.test(href)) return
          const [path, anchor] = href.split('#')
          const file = resolve(folder, path)
          const page = relative(pages, file)
          if (!page.startsWith('..')) {
            context.setProperty(node, 'href', addressOf(base, page) + (anchor === undefined ? '' : `#${anchor}`))
            return
          }
          return withPath(node.children, relative(root, file))
        },
      },
    })
  }
}

/** Shows the path once, where the text of the link is the path or its last part. */
function withPath(children, path) {
  const code = { type: 'element', tagName: 'code', properties: {}, children: [{ type: 'text', value: path }] }
  const text = children.map(({ value = '' }) => value).join('')
  if (text === path || text === basename(path)) return code
  const parts = [...children, { type: 'text', value: ' (' }, code, { type: 'text', value: ')' }]
  return { type: 'element', tagName: 'span', properties: {}, children: parts }
}

function addressOf(base, page) {
  const slug = page.replace(/\.mdx?$/, '').replace(/(^|\/)index$/, '')
  return slug === '' ? `${base}/` : `${base}/${slug}/`
}
