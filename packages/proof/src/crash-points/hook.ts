// `--import` of a server that is going to die: its own sources come instrumented, from a file that its parent has made.

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { installProbe } from './probe.ts'

/** The instrumented sources of the product by their URLs, as JSON, stand in the file that this names. */
const sourcesFile = process.env['CRASH_POINTS_SOURCES']
if (sourcesFile === undefined) throw new Error('CRASH_POINTS_SOURCES names no file')
const sources = JSON.parse(readFileSync(sourcesFile, 'utf8')) as Record<string, string>

installProbe()
registerHooks({
  load(url, context, next) {
    const source = sources[url]
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})
