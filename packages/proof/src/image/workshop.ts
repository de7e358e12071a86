// Buildah with separate storage, and the image `node:24-slim` that the Dockerfile begins with. No image registry is used: a
// Debian of the repository that apt uses here, with the Node and the npm of this proof, replaces that image.

import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownEnvironment } from '../rig/environment.ts'
import {
  type Home,
  MissingProgram,
  openHome,
  type ProgramStart,
  requireProgram,
  runProgram,
  startProgram,
} from '../rig/programs.ts'

export type ImageConfig = {
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  User: string
  StopSignal: string
  Healthcheck: { Test: string[] }
}

export type BuiltImage = {
  config: ImageConfig
  /** The folder with its files. */
  root: string
  /** The base of the image. */
  base: string
  buildSeconds: number
  megabytes: number
  megabytesOfBase: number
}

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
const baseName = 'node:24-slim'
const name = 'causeway:proof'

/** @returns the image that the Dockerfile makes; its files are removed with the stack */
export async function buildImage(stack: AsyncDisposableStack, say: (line: string) => void): Promise<BuiltImage> {
  if (process.getuid?.() !== 0) throw new MissingProgram('an image is built as root here')
  const home = stack.use(openHome())
  const workshop = openWorkshop(stack, home)
  const base = await makeBase(workshop, home)
  say(base)
  const npm = await npmMounts(home)
  const began = performance.now()
  await workshop.build('the build', ['--pull-never', ...npm, '-t', name, checkout])
  const buildSeconds = Math.round((performance.now() - began) / 1_000)
  const { config } = JSON.parse(await workshop.ask(['inspect', '--type', 'image', name])).Docker
  const container = (await workshop.ask(['from', '--pull-never', name])).trim()
  const root = (await workshop.ask(['mount', container])).trim()
  const [megabytes, megabytesOfBase] = [await workshop.megabytesOf(name), await workshop.megabytesOf(baseName)]
  return { config, root, base, buildSeconds, megabytes, megabytesOfBase }
}

/** The format is Docker's because that of OCI has no HEALTHCHECK. */
const building = ['--isolation', 'chroot', '--format', 'docker']

type Workshop = {
  /** Asks Buildah. @returns what it wrote */
  ask(args: readonly string[]): Promise<string>
  build(what: string, args: readonly string[]): Promise<void>
  /** Runs a program that takes minutes, and ends with the stack. */
  run(what: string, start: ProgramStart): Promise<void>
  megabytesOf(image: string): Promise<number>
}

function openWorkshop(stack: AsyncDisposableStack, home: Home): Workshop {
  const file = requireProgram('buildah', 'buildah')
  const storage = ['--storage-driver', 'vfs', '--root', home.folder('storage'), '--runroot', home.folder('run')]
  const env = { HOME: home.path, TMPDIR: home.folder('tmp') }
  const startOf = (args: readonly string[]): ProgramStart => ({
    file,
    args: [...storage, ...args],
    env,
    asOurselves: true,
  })
  const run = async (what: string, start: ProgramStart): Promise<void> => {
    const program = stack.use(startProgram(what, start))
    const code = await program.ended
    if (code !== 0) throw new Error(`${what} ended with ${code}:\n${program.log()}`)
  }
  const ask = (args: readonly string[]): Promise<string> => runProgram(startOf(args))
  return {
    ask,
    run,
    build: (what, args) => run(what, startOf(['bud', ...building, ...args])),
    async megabytesOf(image) {
      const [, figure = '', unit] =
        /^([\d.]+) (MB|GB)$/m.exec(await ask(['images', '--format', '{{.Size}}', image])) ?? []
      return Number(figure) * (unit === 'GB' ? 1_000 : 1)
    },
  }
}

/** @returns what the image is made of */
async function makeBase(workshop: Workshop, home: Home): Promise<string> {
  const debootstrap = requireProgram('debootstrap', 'debootstrap')
  const root = home.folder('base')
  const { suite, mirror } = await debianRepository()
  // Its mounts in the folder are unmounted with it, even after a kill.
  const args = ['--mount', debootstrap, '--variant=minbase', suite, root, mirror]
  await workshop.run('debootstrap', { file: requireProgram('unshare', 'util-linux'), args, asOurselves: true })
  cpSync(process.execPath, join(root, 'usr/local/bin/node'))
  const npm = 'lib/node_modules/npm'
  mkdirSync(join(root, 'usr/local', npm), { recursive: true })
  cpSync(npmFolder(), join(root, 'usr/local', npm), { recursive: true, dereference: true })
  symlinkSync(`../${npm}/bin/npm-cli.js`, join(root, 'usr/local/bin/npm'))
  const recipe = join(home.path, 'base.Dockerfile')
  writeFileSync(recipe, `FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nCMD ["node"]\n`)
  await workshop.build('the stand-in', ['-f', recipe, '-t', baseName, root])
  return `stand-in for ${baseName}: Debian ${suite} with Node ${process.version}`
}

/** The repository of Debian that apt uses here. */
async function debianRepository(): Promise<{ suite: string; mirror: string }> {
  const args = ['indextargets', '--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages', 'Origin: Debian']
  const lines = (await runProgram({ file: requireProgram('apt-get', 'apt'), args, asOurselves: true })).split('\n')
  const [suite, mirror] =
    lines.map((line) => line.split(' ')).find(([codename]) => /^[a-z]+$/.test(codename ?? '')) ?? []
  if (!suite || !mirror) throw new MissingProgram('apt knows no package of Debian: apt-get update')
  return { suite, mirror }
}

function npmFolder(): string {
  const program = ownEnvironment()['npm_execpath']
  if (!program) throw new MissingProgram('npm is not known: start this by `npm run proof:image`')
  return dirname(dirname(program))
}

/** npm's settings on this machine, for the build alone: registries, their keys, and the authority of their certificates. */
async function npmMounts(home: Home): Promise<string[]> {
  const program = join(npmFolder(), 'bin/npm-cli.js')
  const ask = async (key: string): Promise<string> =>
    (
      await runProgram({
        file: process.execPath,
        args: [program, 'config', 'get', key],
        env: ownEnvironment(),
        asOurselves: true,
      })
    ).trim()
  const files = [await ask('globalconfig'), await ask('userconfig')].filter((path) => existsSync(path))
  const authority = await ask('cafile')
  const hasAuthority = existsSync(authority)
  const lines = [...files.map((path) => readFileSync(path, 'utf8')), `registry=${await ask('registry')}`]
  if (hasAuthority) lines.push('cafile=/etc/npm-authority.pem')
  const settings = join(home.folder('npm'), 'npmrc')
  writeFileSync(settings, `${lines.join('\n')}\n`, { mode: 0o600 })
  const mounts = ['--volume', `${settings}:/root/.npmrc:ro`]
  return hasAuthority ? [...mounts, '--volume', `${authority}:/etc/npm-authority.pem:ro`] : mounts
}
