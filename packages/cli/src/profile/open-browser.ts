// Opens a page in the browser of the person at the terminal.

import { spawn } from 'node:child_process'
import type { Env } from '../local-state.ts'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Tries; where there is no browser, the person opens the address. `BROWSER` names another program, or `none`. */
export function openBrowser(env: Env, address: string): void {
  const chosen = env['BROWSER']
  if (chosen === 'none') return
  const [program = 'xdg-open', ...args] = chosen ? [chosen] : (openers[process.platform] ?? [])
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore', env: { ...env } })
  child.on('error', () => {}) // no such program: the address stands in the terminal
  child.unref()
}
