// The documentation as a site of plain files below `/docs`. Nothing on it comes from another host.
import { existsSync } from 'node:fs'
import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import starlightLlmsTxt from 'starlight-llms-txt'
import starlightOpenAPI, { openAPISidebarGroups } from 'starlight-openapi'
import { pageLinks } from './scripts/page-links.mjs'
import { siteFiles } from './scripts/site-files.mjs'

const base = '/docs'
// Where the site will stand is not known when it is built: `site-files` takes this origin out of every file again.
const origin = 'http://docs.invalid'

/** The sidebar: a folder of pages and its title. Inside a folder `sidebar.order` of the frontmatter decides, then the title. */
const folders = [
  ['start', 'Start'],
  ['onboard', 'Onboard people and companies'],
  ['accounts', 'Accounts'],
  ['deposits', 'Deposits'],
  ['webhooks', 'Webhooks'],
  ['go-live', 'Go live'],
  ['operate', 'Operate'],
  ['guides', 'Extend'],
  ['reference', 'Reference'],
].filter(([directory]) => existsSync(new URL(`src/content/docs/${directory}`, import.meta.url)))

export default defineConfig({
  base,
  site: origin,
  devToolbar: { enabled: false },
  markdown: {
    processor: satteri({ features: { smartPunctuation: false }, hastPlugins: [pageLinks(base)] }),
  },
  integrations: [
    starlight({
      title: 'Causeway',
      logo: { src: './src/assets/logo.svg', alt: '' },
      customCss: ['./src/styles/theme.css'],
      components: { SocialIcons: './src/components/header-links.astro' },
      credits: false,
      routeMiddleware: './src/search-scope.ts',
      // Pages of the reference are long: by default the short ones about an event come before the operation that is looked for.
      pagefind: { ranking: { pageLength: 0.1 } },
      expressiveCode: {
        styleOverrides: { borderRadius: '0.5rem' },
        defaultProps: { frame: 'code' },
      },
      head: [{ tag: 'script', attrs: { type: 'module', src: `${base}/visitor.js` } }],
      plugins: [
        starlightOpenAPI([
          { base: 'reference/api', schema: '../packages/server/openapi.json', sidebar: { label: 'API reference' } },
        ]),
        starlightLlmsTxt({ exclude: ['decisions/**'] }),
        starlightLinksValidator({ errorOnLocalLinks: false, exclude: [`${base}/reference/api/**`] }),
      ],
      sidebar: [
        ...folders.map(([directory, label]) => ({ label, items: [{ autogenerate: { directory } }] })),
        ...openAPISidebarGroups,
        { label: 'Decision records', collapsed: true, items: [{ autogenerate: { directory: 'decisions' } }] },
      ],
    }),
    siteFiles(origin),
  ],
})
