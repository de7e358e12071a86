// Programs and files that tests need and a machine may lack: a browser, Redis, Python, shells, the provider's API document.
// Without them, the tests are skipped with the reason, or fail if CAUSEWAY_REQUIRE names them (as the CI run does).

import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Chromium without windows, where it is installed, takes a third of the CPU. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
export const browserPath = process.env['CAUSEWAY_BROWSER'] ?? browsers.find(existsSync) ?? '/usr/bin/chromium'
/** With the packages of examples/python/requirements.txt: best of a virtual environment. */
export const pythonPath = process.env['CAUSEWAY_PYTHON'] ?? 'python3'
/** Where `npm run docs:build` puts the site. */
export const docsFolder = resolve(import.meta.dirname, '../docs/dist')
/** Where `npm run console:build` puts the console. */
export const consoleFolder = resolve(import.meta.dirname, '../packages/console/dist')
/** Where `npm run onboarding:build` puts the onboarding page. */
export const onboardingFolder = resolve(import.meta.dirname, '../packages/onboarding/dist')
export const redisServerPath = process.env['CAUSEWAY_REDIS_SERVER'] ?? '/usr/bin/redis-server'

// We may not ship the provider's document: it is next to the checkout, or at the path in the variable.
export const wireReferencePath =
  process.env['CAUSEWAY_WIRE_REFERENCE'] ?? referenceBeside(resolve(import.meta.dirname, '../..'))

/** Finds the newest document in any folder next to the checkout, including symbolic links, which `globSync` skips. */
function referenceBeside(folder: string): string | null {
  const places = readdirSync(folder).map((name) => join(folder, name, 'provider'))
  const found = places
    .filter((place) => existsSync(place))
    .flatMap((place) => globSync(`${place}/bridge-full-openapi-*.json`))
  return found.sort().at(-1) ?? null
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}

/** Whether this is `npm run nightly`, for which some tests have a longer form. */
export const isNightly = process.env['CAUSEWAY_NIGHTLY'] === 'true'

const needs = {
  browser: {
    present: () => existsSync(browserPath),
    lack: `no browser at ${browserPath}: install chromium, or set CAUSEWAY_BROWSER`,
  },
  redis: {
    present: () => existsSync(redisServerPath),
    lack: `no Redis at ${redisServerPath}: install redis-server, or set CAUSEWAY_REDIS_SERVER`,
  },
  python: {
    present: () => spawnSync(pythonPath, ['-c', 'import httpx, standardwebhooks']).status === 0,
    lack: `no ${pythonPath} with the packages of examples/python/requirements.txt: install them, or set CAUSEWAY_PYTHON`,
  },
  docs: {
    present: () => existsSync(join(docsFolder, 'script-hashes.json')),
    lack: 'the site of the documentation is not built: npm run docs:build',
  },
  console: {
    present: () => existsSync(join(consoleFolder, 'index.html')),
    lack: 'the console is not built: npm run console:build',
  },
  onboarding: {
    present: () => existsSync(join(onboardingFolder, 'index.html')),
    lack: 'the onboarding page is not built: npm run onboarding:build',
  },
  zsh: { present: () => isInstalled('zsh'), lack: 'zsh is not installed' },
  jq: { present: () => isInstalled('jq'), lack: 'jq, which the shell examples of the pages use, is not installed' },
  fish: { present: () => isInstalled('fish'), lack: 'fish is not installed' },
  script: {
    present: () => isInstalled('script'),
    lack: 'the program script, which gives a terminal, is not installed',
  },
  reference: {
    present: () => wireReferencePath !== null && existsSync(wireReferencePath),
    lack: 'no API document of the provider: set CAUSEWAY_WIRE_REFERENCE to its path',
  },
} as const

/**
 * For `describe(…, { skip })`: false, or why the tests cannot run here.
 * @throws Error when CAUSEWAY_REQUIRE (names separated by commas) holds the need and it is lacking
 */
export function lacking(need: keyof typeof needs): false | string {
  const { present, lack } = needs[need]
  if (present()) return false
  if ((process.env['CAUSEWAY_REQUIRE'] ?? '').split(',').includes(need)) throw new Error(lack)
  return lack
}
