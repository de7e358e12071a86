// `--import` of a server that is going to die: its own sources come instrumented, from a file that its parent has made.

import { readFileSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import { installProbe } from './probe.ts'

/** The instrumented sources of the product by their URLs, as JSON; and the folder of V8's compiled code. */
const [sourcesFile, compiled] = process.argv.slice(2)

// Its threads have no arguments: what runs in them writes nothing, and is loaded as it is.
if (sourcesFile !== undefined && compiled !== undefined) {
  enableCompileCache(compiled)
  const sources = JSON.parse(readFileSync(sourcesFile, 'utf8')) as Record<string, string>
  installProbe()
  registerHooks({
    load(url, context, next) {
      const source = sources[url]
      return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
    },
  })
}
