// Builds what `npm pack` takes: ESM, CommonJS and types of each entry, below `dist`.
import { join } from 'node:path'
import { build } from 'tsdown'

const cwd = join(import.meta.dirname, '..')

await build({
  cwd,
  config: false,
  entry: {
    index: 'src/index.ts',
    webhooks: 'src/webhooks/index.ts',
    terms: 'src/terms/open-terms.ts',
    onboarding: 'src/onboarding/mount-onboarding.ts',
  },
  format: ['esm', 'cjs'],
  dts: true,
  platform: 'neutral', // a word of Node in the sources would be an error
  target: 'es2022',
  fixedExtension: true,
  logLevel: 'error',
  inputOptions: { checks: { pluginTimings: false } },
})
console.log('built packages/sdk/dist')
