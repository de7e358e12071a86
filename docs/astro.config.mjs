// The documentation as a site of plain files below `/docs`. Nothing on it comes from another host.
import { readFileSync } from 'node:fs'
import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import starlightLlmsTxt from 'starlight-llms-txt'
import starlightOpenAPI, { openAPISidebarGroups } from 'starlight-openapi'
import { pageLinks } from './scripts/page-links.mjs'
import { pageList } from './scripts/page-list.mjs'
import { referenceDocument } from './scripts/reference-document.mjs'
import { siteFiles } from './scripts/site-files.mjs'

const base = '/docs'
// Where the site will stand is not known when it is built: `site-files` takes this origin out of every file again.
const origin = 'http://docs.invalid'

/** Puts the generated API reference in the place that `sidebar.json` names. */
const withReference = (items) =>
  items.flatMap((item) => {
    if (item === 'API') return openAPISidebarGroups
    return typeof item === 'string' ? [item] : [{ ...item, items: withReference(item.items) }]
  })

const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
const sidebar = read('sidebar.json')
const redirects = Object.entries(read('redirects.json')).map(([from, to]) => [from, `${base}${to}`])

export default defineConfig({
  base,
  site: origin,
  // The addresses that pages had before.
  redirects: Object.fromEntries(redirects),
  devToolbar: { enabled: false },
  markdown: {
    processor: satteri({ features: { smartPunctuation: false }, hastPlugins: [pageLinks(base)] }),
  },
  integrations: [
    starlight({
      title: 'Causeway',
      logo: { src: './src/assets/logo.svg', alt: '' },
      customCss: ['./src/styles/theme.css'],
      components: {
        MarkdownContent: './src/components/page-content.astro',
        PageTitle: './src/components/page-title.astro',
        SocialIcons: './src/components/header-links.astro',
      },
      credits: false,
      routeMiddleware: './src/route-data.ts',
      // Pages of the reference are long: by default the short ones about an event come before the operation that is looked for.
      pagefind: { ranking: { pageLength: 0.1, metaWeights: { title: 5, words: 5 } } },
      head: [{ tag: 'script', attrs: { type: 'module', src: `${base}/visitor.js` } }],
      plugins: [
        starlightOpenAPI([
          {
            base: 'reference/api',
            schema: referenceDocument(base),
            sidebar: { label: 'API reference' },
            snippets: { operation: false, requestBody: false, response: false },
          },
        ]),
        starlightLlmsTxt({ details: pageList(sidebar, `${origin}${base}`) }),
        starlightLinksValidator({ errorOnLocalLinks: false, exclude: [`${base}/reference/api/**`] }),
      ],
      sidebar: withReference(sidebar),
    }),
    siteFiles(origin),
  ],
})
