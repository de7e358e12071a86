// A guide as plain Markdown: without components, and with links and pictures that work outside of the repository.

import { posix } from 'node:path'

const placeOf = (file: string): string => file.replace(/\.mdx?$/, '')

/** Leaves code blocks as they are. @param file path of the page below `docs/src/content/docs` */
export function guideMarkdown(body: string, file: string): string {
  return body
    .split(/^(\s*```.*?^\s*```\s*$)/ms)
    .map((part, at) => (at % 2 === 1 ? part : plain(part, file)))
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function plain(text: string, file: string): string {
  return text
    .replace(/<!--.*?-->/gs, '')
    .replace(/^import .*$/gm, '')
    .replace(/^<TabItem label="([^"]*)".*>$/gm, '**$1**')
    .replace(/^ *<LinkCard title="([^"]*)" href="([^"]*)\/" description="([^"]*)" \/>$/gm, '- [$1]($2.md): $3')
    .replace(/^\s*<\/?(?:[A-Z][^>]*|details|figure|div)(?: [^>]*)?>(?:<summary>.*<\/summary>)?$/gm, '')
    .replace(/^<figcaption>.*$/gm, '')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '(Picture: $1)')
    .replace(/\[([^\]]*)\]\(([^)]+)\)/g, (link, label: string, target: string) => linkOf(target, label, file) ?? link)
}

/** Links to pages of the site lead to their Markdown. Files that are not part of the site are named. */
function linkOf(target: string, label: string, file: string): string | null {
  if (/^([a-z]+:|#|\/)/.test(target)) return null
  const [path = '', anchor] = target.split('#')
  const place = posix.join(posix.dirname(file), path)
  if (place.startsWith('..')) return `${label} (\`${posix.join('docs/src/content/docs', place)}\`)`
  return `[${label}](/docs/${placeOf(place)}.md${anchor === undefined ? '' : `#${anchor}`})`
}
