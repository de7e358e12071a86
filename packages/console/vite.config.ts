// Builds the console into `dist`: hashed names, everything from this server. `npm run console:dev` serves it beside a running
// `npm start`, whose API it passes requests on to.

import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

const api = process.env['CAUSEWAY_URL'] ?? 'http://127.0.0.1:8080'

/** The server of `npm start` takes the requests of the development server for those of a page of its own. */
const proxy = Object.fromEntries(
  ['/v0', '/console/session', '/console/config'].map((path) => [path, { target: api, changeOrigin: true }]),
)

export default defineConfig({
  base: '/console/',
  plugins: [tailwindcss()],
  resolve: { conditions: ['@causeway/source', 'module', 'browser'] },
  build: {
    target: 'es2022',
    // Nothing is written into the page's own markup: its policy forbids inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy },
})
