// The clock of one program, stepped while it runs by Debian's libfaketime. Only the time of day changes: monotonic measurements
// continue, as when the clock of a host is set.

import { chmodSync, existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Home, MissingProgram } from '../programs.ts'

export type SteppedClock = {
  /** The environment of the program. */
  env: Readonly<Record<string, string>>
  stepTo(offsetSeconds: number): void
}

/** @throws MissingProgram */
export function makeSteppedClock(home: Home, name: string): SteppedClock {
  const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64', arm64: 'aarch64' }
  const library = `/usr/lib/${architectures[process.arch]}-linux-gnu/faketime/libfaketimeMT.so.1`
  if (!existsSync(library)) throw new MissingProgram('libfaketime is missing: apt-get install libfaketime')
  const file = join(home.path, `${name}.offset`)
  // Renamed into place: nobody reads half a line.
  const write = (offset: number): void => {
    writeFileSync(`${file}.new`, `${offset < 0 ? '' : '+'}${offset}\n`)
    chmodSync(`${file}.new`, 0o644)
    renameSync(`${file}.new`, file)
  }
  write(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      // The file is read at each look: the processes of one program never see two times.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      // Without it the library leaves a semaphore in /dev/shm behind each killed process.
      FAKETIME_DISABLE_SHM: '1',
    },
    stepTo: write,
  }
}
