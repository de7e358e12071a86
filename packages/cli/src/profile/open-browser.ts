// Opens a page in the user's browser.

import { spawn } from 'node:child_process'
import type { Env } from '../local-state.ts'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

const displays = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME']

/**
 * Tries to open a browser. Without one, or without a display, the person opens the URL that the terminal shows.
 * `BROWSER` names another program, or `none`.
 */
export function openBrowser(env: Env, address: string): void {
  const chosen = env['BROWSER']
  if (chosen === 'none') return
  if (!chosen && process.platform === 'linux' && !displays.some((name) => env[name])) return
  const [program = 'xdg-open', ...args] = chosen ? [chosen] : (openers[process.platform] ?? [])
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore', env: { ...env } })
  child.on('error', () => {}) // no such program: the terminal shows the URL
  child.unref()
}
