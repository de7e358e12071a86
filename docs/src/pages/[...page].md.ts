// Each page as Markdown, at its address with `.md` in the place of the slash: for people's programs and assistants.

import { type CollectionEntry, getCollection } from 'astro:content'
import type { APIRoute } from 'astro'
import { guideMarkdown } from '../reference/guide-markdown.ts'
import { operationMarkdown } from '../reference/markdown.ts'
import { operations } from '../reference/operations.ts'

const fileOf = (entry: CollectionEntry<'docs'>): string => (entry.filePath ?? '').replace(/^src\/content\/docs\//, '')

export async function getStaticPaths() {
  const pages = (await getCollection('docs')).map((entry) => ({
    params: { page: fileOf(entry).replace(/\.mdx?$/, '') },
    props: { text: guide(entry) },
  }))
  const reference = [...operations].map(([page, operation]) => ({
    params: { page },
    props: { text: operationMarkdown(operation) },
  }))
  return [...pages, ...reference]
}

export const GET: APIRoute<{ text: string }> = ({ props: { text } }) => new Response(`${text}\n`)

function guide(entry: CollectionEntry<'docs'>): string {
  const {
    data: { title, description },
    body = '',
  } = entry
  const about = description === undefined ? '' : `> ${description}\n\n`
  return `# ${title}\n\n${about}${guideMarkdown(body, fileOf(entry))}`
}
