// `npm run proof:deploy`: the files of deploy/ are read by the programs that they are for, and each program refuses a copy with a
// mistake, so that its silence means something. Ends with one line of JSON; exit code 1 when a program finds a fault, or misses one.

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filledIn } from '../rig/databases/patroni/example-files.ts'
import { readOptions, someOf } from '../rig/options.ts'
import { endOnSignals, type Home, openHome, runProof } from '../rig/programs.ts'
import { type Check, checks } from './checks.ts'

const script = 'proof:deploy'
const deployFolder = fileURLToPath(new URL('../../../../deploy', import.meta.url))
const { only } = readOptions(script, 'Has the files of deploy/ read by the programs that they are for.', {
  only: someOf(
    'some of the programs',
    checks.map(({ name }) => name),
  ),
})

await runProof(script, async () => {
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const home = stack.use(openHome())
  const asked = checks.filter(({ name }) => only.includes(name))
  const faults: string[] = []
  for (const check of asked) {
    const began = performance.now()
    faults.push(...(await faultsOf(home, check)))
    console.log(`${check.name}: ${check.files.join(' ')} (${((performance.now() - began) / 1_000).toFixed(1)} s)`)
  }
  for (const fault of faults) console.error(`${script}: ${fault}`)
  const files = new Set(asked.flatMap((check) => check.files)).size
  const programs = asked.map(({ name }) => name)
  console.log(JSON.stringify({ proof: 'deploy', programs, files, mistakes: asked.length, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})

async function faultsOf(home: Home, { name, mistake, open }: Check): Promise<string[]> {
  const judge = await open(home)
  const copyOf = (kind: string): string => {
    const folder = home.folder(`${kind} for ${name}`)
    cpSync(deployFolder, folder, { recursive: true, filter: (path) => !path.endsWith('/causeway.env') })
    return folder
  }
  const faults: string[] = []
  await judge(copyOf('deploy')).catch((error: Error) => faults.push(`${name}: ${error.message}`))
  const mistaken = copyOf('mistaken')
  const file = join(mistaken, mistake.file)
  writeFileSync(file, filledIn(readFileSync(file, 'utf8'), { [mistake.text]: mistake.instead }))
  const isRefused = await judge(mistaken).then(
    () => false,
    () => true,
  )
  if (!isRefused) faults.push(`${name} finds nothing wrong with "${mistake.instead}" in ${mistake.file}`)
  return faults
}
