// Puts tested code on the pages: a block whose first line contains `source="FILE#REGION"` gets that region of the file.
// A region is the code between the comments `region NAME` and `endregion`. Regions with the same name are joined.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const block = /^(```\w+ source="([^"#]+)(?:#([\w-]+))?".*\n)[\s\S]*?^```$/gm

/** @returns the pages that show code of files, with that code in them, by their paths */
export function pagesWithSnippets(root: string): Record<string, string> {
  const pages = globSync('docs/src/content/docs/**/*.{md,mdx}', { cwd: root })
  return Object.fromEntries(
    pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8')
      if (!text.includes(' source="')) return []
      const filled = text.replace(block, (_all, opening: string, file: string, region: string | undefined) => {
        const code = readFileSync(join(root, file), 'utf8')
        return `${opening}${region === undefined ? code.trimEnd() : regionOf(code, region, `${page}: ${file}`)}\n\`\`\``
      })
      return [[page, filled]]
    }),
  )
}

function regionOf(code: string, name: string, where: string): string {
  const lines: string[] = []
  let isInside = false
  for (const line of code.split('\n')) {
    const [, opened, closed] = /^\s*(?:#|\/\/) (?:region ([\w-]+)|(endregion))$/.exec(line) ?? []
    if (opened !== undefined) isInside = opened === name
    else if (closed !== undefined) isInside = false
    else if (isInside) lines.push(line)
  }
  if (lines.length === 0) throw new Error(`${where} has no region ${name}`)
  return lines.join('\n').trim()
}
