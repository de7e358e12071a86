// The command line of this process.

import { processEnvironment } from '../../server/src/platform/config.ts'
import { runCommandLine } from './command-line.ts'

const terminal = { print: (text: string) => console.log(text), complain: (text: string) => console.error(text) }
const exitCode = await runCommandLine(process.argv.slice(2), processEnvironment(), terminal)
if (exitCode !== 0) process.exitCode = exitCode
