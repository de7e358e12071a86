// Where a generator works, and how it is run there.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Where a generator works, and the world that its client talks to. */
export type Place = { folder: string; baseUrl: string; apiKey: string }
/** `run` gives what the generated client printed. */
export type Generator = { name: string; command: string; run(place: Place): Promise<string> }

export const root = fileURLToPath(new URL('../../../../', import.meta.url))
export const document = join(root, 'packages/server/openapi.json')
const execute = promisify(execFile)

/** Beside the folder: Go reads every folder below a module as a part of it. */
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

export async function hasCommand(command: string): Promise<boolean> {
  return await execute(command, [command === 'go' ? 'version' : '--version']).then(
    () => true,
    () => false,
  )
}

export async function write({ folder }: Place, name: string, content: string): Promise<void> {
  await writeFile(join(folder, name), content)
}
