// Builds the onboarding page into `dist`: hashed names, everything from this server.

import { defineConfig } from 'vite'

export default defineConfig({
  base: '/onboard/',
  resolve: { conditions: ['@causeway/source', 'module', 'browser'] },
  build: {
    target: 'es2022',
    // Nothing is written into the page's own markup: its policy forbids inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
