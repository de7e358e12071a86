// The operator's commands, each in a separate process.

import { execFile } from 'node:child_process'
import type { Program, Settings } from '../world.ts'

export type Told = { code: number | null; answer: unknown; stderr: string }

const runMsMax = 120_000
const outputBytesMax = 64 * 1024 * 1024

export function runOperator([file, ...before]: Program, args: readonly string[], env: Settings): Promise<Told> {
  const options = { env: { BUILD_PAGES: 'never', ...env }, cwd: '/', timeout: runMsMax, maxBuffer: outputBytesMax }
  return new Promise((resolve) => {
    execFile(file, [...before, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null
      resolve({ code, answer: parsed(stdout), stderr })
    })
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text === '' ? null : text
  }
}
