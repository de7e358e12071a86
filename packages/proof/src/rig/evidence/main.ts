// `npm run judge -- FILE`: judges again what a failed run saved. Checks that only its proof can make are left out.

import { judge } from '../verdict/verdict.ts'
import { readObserved } from './saved.ts'

const findingsShownMax = 100
const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('judge: give the file that a failed run saved')
  process.exit(64)
}
const { observed, expect } = await readObserved(file)
const { figures, findings, faults } = judge(observed, expect)
for (const { kind, text } of findings.slice(0, findingsShownMax)) console.error(`judge: ${kind}: ${text}`)
for (const fault of faults) console.error(`judge: ${fault}`)
console.log(JSON.stringify({ ...figures, faults: faults.length }))
process.exitCode = faults.length > 0 ? 1 : 0
