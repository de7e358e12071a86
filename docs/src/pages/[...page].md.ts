// Each page as Markdown, at its address with `.md` in the place of the slash: for people's programs and assistants.

import { type CollectionEntry, getCollection } from 'astro:content'
import type { APIRoute } from 'astro'

const place = (entry: CollectionEntry<'docs'>): string =>
  (entry.filePath ?? '').replace(/^src\/content\/docs\//, '').replace(/\.mdx?$/, '')

export async function getStaticPaths() {
  const pages = await getCollection('docs')
  return pages.map((entry) => ({ params: { page: place(entry) }, props: { entry } }))
}

export const GET: APIRoute<{ entry: CollectionEntry<'docs'> }> = ({ props: { entry } }) => {
  const { title, description } = entry.data
  const about = description === undefined ? '' : `> ${description}\n\n`
  return new Response(`# ${title}\n\n${about}${withoutComponents(entry.body ?? '')}\n`)
}

/** Leaves of a page with components the Markdown between them. */
function withoutComponents(body: string): string {
  return body
    .replace(/<!--.*?-->/gs, '')
    .replace(/^import .*$/gm, '')
    .replace(/^<TabItem label="([^"]*)".*>$/gm, '**$1**')
    .replace(/^\s*<\/?[A-Z][^>]*>$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
