// Where a generator works, and how it is run there.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The folder of a check, with `webhook.json`, and the world that its client talks to. */
export type Place = { folder: string; baseUrl: string; apiKey: string }
/** The content of `webhook.json`: a webhook as an endpoint received it, and the signing secret of the endpoint. */
export type Webhook = { body: string; headers: Record<string, string>; secret: string }
/** `run` returns the output of the program, which contains `expected`. */
export type Check = { name: string; command: string; expected: string; run(place: Place): Promise<string> }

export const root = fileURLToPath(new URL('../../../../', import.meta.url))
export const document = join(root, 'packages/server/openapi.json')
const execute = promisify(execFile)

/** Outside the folder, because Go reads every folder below a module as a part of it. */
export const goPath = ({ folder }: Place): string => `${folder}-go`

/** Runs a program in the folder. @returns what it printed @throws Error with what it complained of */
export async function inFolder(place: Place, command: string, ...args: string[]): Promise<string> {
  const settings = [`API_KEY=${place.apiKey}`, `GOPATH=${goPath(place)}`, 'GOFLAGS=-modcacherw']
  const { stdout } = await execute('env', [...settings, command, ...args], {
    cwd: place.folder,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

/** Creates a virtual environment with these packages. @returns its Python */
export async function pythonIn(place: Place, ...packages: string[]): Promise<string> {
  const home = `${place.folder}-python`
  await inFolder(place, 'python3', '-m', 'venv', home)
  const program = join(home, 'bin/python')
  await inFolder(place, program, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages)
  return program
}

export async function hasCommand(command: string): Promise<boolean> {
  return await execute(command, [command === 'go' ? 'version' : '--version']).then(
    () => true,
    () => false,
  )
}

export async function write({ folder }: Place, name: string, content: string): Promise<void> {
  await writeFile(join(folder, name), content)
}
