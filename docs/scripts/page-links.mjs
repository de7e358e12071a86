// Links between pages are written as paths of files, which the host of the repository follows. On the site they become
// addresses; a link to a file that is not part of the site becomes the name of the file.
import { dirname, relative, resolve } from 'node:path'
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
          const name = { type: 'text', value: relative(root, file) }
          return { type: 'element', tagName: 'code', properties: {}, children: [name] }
        },
      },
    })
  }
}

function addressOf(base, page) {
  const slug = page.replace(/\.mdx?$/, '').replace(/(^|\/)index$/, '')
  return slug === '' ? `${base}/` : `${base}/${slug}/`
}
