// Routes that anybody may call: the page about security lists each of them with what it costs and what bounds it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { edgeServer } from './edge-server.ts'

const page = resolve(import.meta.dirname, '../../../../docs/src/content/docs/run/security.md')

/** Of every route that takes no key, as `METHOD /path`. */
async function openRoutes(): Promise<string[]> {
  const found: string[] = []
  const edge = await edgeServer({
    routes: (app) => {
      app.addHook('onRoute', ({ config, method, url }) => {
        if (config?.auth !== 'none') return
        for (const verb of [method].flat()) if (verb !== 'HEAD') found.push(`${verb} ${url}`)
      })
    },
  })
  await edge.stop()
  return found.sort()
}

test('the table of routes without a key names every such route and no other, each with its cost and its bound', async () => {
  const [, section = ''] = readFileSync(page, 'utf8').split('## Routes without a key\n')
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) => {
    const [, routes = '', cost = '', bound = ''] = row.split('|').map((cell) => cell.trim())
    assert.ok(cost.length > 0 && bound.length > 0, row)
    return [...routes.matchAll(/`([A-Z]+ [^`]+)`/g)].map(([, route = '']) => route)
  })
  assert.deepEqual(listed.toSorted(), await openRoutes())
})
