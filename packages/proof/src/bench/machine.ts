// The machine and the versions behind the figures.

import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { cpus, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { quantileOf } from './ratio.ts'

export type Machine = {
  cpu: string
  cores: number
  memoryGib: number
  syncMs: number
  versions: Record<string, string>
}

export function describeMachine(postgresVersion: string): Machine {
  const [cpu] = cpus()
  return {
    cpu: `${cpu?.model ?? 'unknown'}, ${type()}`,
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    syncMs: measureSync(),
    versions: {
      Node: process.version.slice(1),
      PostgreSQL: postgresVersion,
      undici: versionOf('../../../server/package.json', 'undici'),
      pg: versionOf('../../../server/package.json', 'pg'),
      fastify: versionOf('../../../server/package.json', 'fastify'),
      'graphile-worker': versionOf('../../package.json', 'graphile-worker'),
    },
  }
}

/** The manifests have the exact versions. */
function versionOf(manifest: string, name: string): string {
  const text = readFileSync(new URL(manifest, import.meta.url), 'utf8')
  return new RegExp(`"${name}": "([^"]+)"`).exec(text)?.[1] ?? 'unknown'
}

const syncs = 100
const pageBytes = 8_192

/** Median time to have one page more of a file on the disk: what a commit costs at least. */
function measureSync(): number {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-sync-'))
  const file = openSync(join(directory, 'pages'), 'w')
  const times: number[] = []
  try {
    for (let n = 0; n < syncs; n++) {
      writeSync(file, Buffer.alloc(pageBytes))
      const startMs = performance.now()
      fdatasyncSync(file)
      times.push(performance.now() - startMs)
    }
  } finally {
    closeSync(file)
    rmSync(directory, { recursive: true, force: true })
  }
  return quantileOf(
    times.toSorted((a, b) => a - b),
    0.5,
  )
}
