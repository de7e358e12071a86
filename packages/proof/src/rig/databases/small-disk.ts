// A small filesystem in memory that is filled to the last byte and kept full, as a log that nobody rotates does.

import {
  chownSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MissingProgram, programAccount, requireProgram, runProgram } from '../programs.ts'

export type SmallDisk = AsyncDisposable & {
  path: string
  /** Makes a folder of the programs' user. @returns its path */
  folder(name: string): string
  /** Takes what is free, and what becomes free, until the disk is freed. */
  fill(): void
  free(): Promise<void>
}

const topUpMs = 100
const chunk = Buffer.alloc(64 * 1024)

/** @throws MissingProgram when we may not mount */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  if (process.getuid?.() !== 0) throw new MissingProgram('only root may mount the small filesystem: run it as root')
  const [mount, umount] = [requireProgram('mount', 'mount'), requireProgram('umount', 'mount')]
  const path = mkdtempSync(join(tmpdir(), 'causeway-small-disk-'))
  const options = `size=${megabytes}m,mode=1777`
  await runProgram({ file: mount, args: ['-t', 'tmpfs', '-o', options, 'causeway-proof', path], asOurselves: true })
  let filling: { isOver: boolean; done: Promise<void> } | null = null
  const ballast = openSync(join(path, 'ballast'), 'w')

  const keepFull = async (state: { isOver: boolean }): Promise<void> => {
    while (!state.isOver) {
      takeWhatIsFree(ballast, path)
      await delay(topUpMs)
    }
  }
  const free = async (): Promise<void> => {
    if (!filling) return
    filling.isOver = true
    await filling.done
    filling = null
    ftruncateSync(ballast)
  }
  return {
    path,
    folder(name) {
      const folder = join(path, name)
      mkdirSync(folder, { mode: 0o700 })
      const account = programAccount()
      if (account) chownSync(folder, account.uid, account.gid)
      return folder
    },
    fill() {
      if (filling) return
      const state = { isOver: false, done: Promise.resolve() }
      state.done = keepFull(state)
      filling = state
    },
    free,
    async [Symbol.asyncDispose]() {
      await free()
      closeSync(ballast)
      // Lazily: a program that is just ending may still have a file open.
      await runProgram({ file: umount, args: ['-l', path], asOurselves: true })
      rmSync(path, { recursive: true, force: true })
    },
  }
}

function takeWhatIsFree(file: number, path: string): void {
  try {
    while (statfsSync(path).bavail > 0) writeSync(file, chunk)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
