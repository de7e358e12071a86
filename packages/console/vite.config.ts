// Builds the console into `dist`: hashed names, everything from this server. `npm run console:dev` serves it next to a
// running `npm start`, and passes requests on to its API.

import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

const api = process.env['CAUSEWAY_URL'] ?? 'http://127.0.0.1:8080'

/** Makes requests of the development server look like those of a page of `npm start`. */
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
