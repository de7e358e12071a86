// Loaded into a test's process by `--import`, with `?file=PATH`: writes which mutants' code was reached.

import { writeFileSync } from 'node:fs'

const file = new URL(import.meta.url).searchParams.get('file') ?? ''

process.on('exit', () => {
  const { __stryker__: stryker } = globalThis as { __stryker__?: { mutantCoverage?: { static: object } } }
  writeFileSync(file, JSON.stringify(Object.keys(stryker?.mutantCoverage?.static ?? {})))
})
