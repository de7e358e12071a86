// Builds the package of the SDK, `packages/sdk/dist`: ESM, CommonJS and types of each entry, and receivers to copy.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsdown'
import { completePackage } from '../../../scripts/packing/package-folder.js'

const cwd = join(import.meta.dirname, '..')
const dist = join(cwd, 'dist')

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
cpSync(join(cwd, 'examples/receivers'), join(dist, 'examples/receivers'), { recursive: true })
completePackage(cwd, dist, { changelog: 'packages/sdk/CHANGELOG.md' })
console.log('built packages/sdk/dist')
