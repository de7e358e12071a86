// Holds the SDK as it is packed against what its users do: installs the tarball into an empty folder, and uses it there on Node
// 20, 22 and 24, as ESM and as CommonJS, in strict programs, bundled, and in the global scope of a worker. Prints each step;
// exit code 1 when one fails. Linux on x64 only, for which the older versions of Node come as packages.

import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { checkContents } from '../../../scripts/packing/contents.ts'

const run = promisify(execFile)
const sdk = join(import.meta.dirname, '..')
const root = join(sdk, '../..')
const tsc = join(root, 'node_modules/.bin/tsc')
const tarball = 'causeway-sdk.tgz'

type Run = (program: string, ...args: string[]) => Promise<string>

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-sdk-packed-'))
  const program = join(folder, 'program')
  const inFolder = runner(folder)
  const inProgram = runner(program)
  const bin = (name: string): string => join(folder, 'node_modules/.bin', name)
  try {
    await step('build and pack', () => pack(folder))
    await step('install', () => install(folder, inFolder, inProgram))
    await step('contents', async () => checkContents(join(program, 'node_modules/@causeway/sdk')))
    await step('publint', () => inFolder(bin('publint'), 'run', tarball, '--strict'))
    await step('types of every entry in every resolution', () => inFolder(bin('attw'), tarball, '--profile', 'strict'))
    await step('types in strict programs', () => checkTypes(inProgram, bin('tsc')))
    await step('the programs of the README', () => checkReadme(program, inProgram))
    for (const [name, node] of nodesOf(folder)) {
      await step(`${name}, ESM`, () => inProgram(node, 'use.mjs'))
      await step(`${name}, CommonJS`, () => inProgram(node, 'use.cjs'))
    }
    await step('bundles', () => bundle(program))
    await step('a worker', () => inProgram(process.execPath, 'worker.mjs'))
    await step('sizes', async () => console.log(await inFolder(bin('size-limit'))))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs programs in a folder. */
function runner(cwd: string): Run {
  return async (program, ...args) => (await run(program, args, { cwd })).stdout
}

async function step(name: string, action: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await action().catch((error: { message: string; stdout?: string; stderr?: string }) => {
    throw new Error(`${name}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  })
  console.log(`${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s`)
}

async function pack(folder: string): Promise<void> {
  await run(process.execPath, [join(sdk, 'scripts/build.js')])
  const packing = run('npm', ['pack', '--ignore-scripts=false', '--dry-run'], { cwd: sdk })
  await packing.then(
    () => Promise.reject(new Error('the folder of the checkout can be packed')),
    () => {},
  )
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(sdk, 'dist') })
  const [packed = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await copyFile(join(folder, packed), join(folder, tarball))
}

/** The tools in one folder, and in a folder below it a program that has the SDK and nothing else. */
async function install(folder: string, inFolder: Run, inProgram: Run): Promise<void> {
  await cp(join(sdk, 'test/packed'), folder, { recursive: true })
  for (const place of ['.npmrc', 'program/.npmrc']) await copyFile(join(root, '.npmrc'), join(folder, place))
  await inFolder('npm', 'ci', '--silent')
  await inProgram('npm', 'install', '--silent', '--no-save', `../${tarball}`)
}

function nodesOf(folder: string): [string, string][] {
  const older = [20, 22].map((major): [string, string] => [
    `Node ${major}`,
    join(folder, `node_modules/node-${major}/bin/node`),
  ])
  return [...older, [`Node ${process.versions.node}`, process.execPath]]
}

/** @param oldTsc TypeScript 5, whose default resolution for CommonJS knows no `exports` */
async function checkTypes(inProgram: Run, oldTsc: string): Promise<void> {
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false']
  const browser = ['--lib', 'es2022,dom,dom.iterable', '--types', '']
  await inProgram(tsc, ...strict, ...browser, '--module', 'nodenext', 'types.mts', 'types.cts')
  await inProgram(tsc, ...strict, ...browser, '--module', 'esnext', '--moduleResolution', 'bundler', 'types.mts')
  const commonjs = [
    '--lib',
    'es2022,dom,dom.iterable',
    '--typeRoots',
    'none',
    '--module',
    'commonjs',
    '--target',
    'es2022',
  ]
  await inProgram(oldTsc, ...strict, ...commonjs, 'commonjs-types.ts')
  await inProgram(tsc, ...strict, '--lib', 'es2023', '--types', 'node', '--module', 'nodenext', 'node-types.mts')
}

/** Runs each block of the README as a program. readme.d.ts declares the names that a block uses but does not define. */
async function checkReadme(program: string, inProgram: Run): Promise<void> {
  const readme = await readFile(join(sdk, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code)
  const files = blocks.map((_code, index) => `readme-${index}.mts`)
  for (const [index, code] of blocks.entries())
    await writeFile(join(program, files[index] ?? ''), `${code}\nexport {}\n`)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  await inProgram(tsc, ...options, '--lib', 'es2023,dom,dom.iterable', 'readme.d.ts', ...files)
}

async function bundle(program: string): Promise<void> {
  for (const file of await readdir(join(program, 'entries'))) {
    const made = await rolldown({ input: join(program, 'entries', file), platform: 'browser', cwd: program })
    const format = file === 'worker.js' ? 'iife' : 'esm'
    await made.write({ file: join(program, 'bundles', file), format, minify: true })
    await made.close()
    const code = await readFile(join(program, 'bundles', file), 'utf8')
    if (/\bfrom\s*["']|\brequire\(/.test(code)) throw new Error(`${file} imports something beside itself`)
  }
}

await main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
