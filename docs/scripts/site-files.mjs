// What the built site needs to be served: the hashes of its inline scripts for the policy of the server, and a compressed copy
// of each text. The site knows no host: the origin that Astro asks for is taken out again.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** @param origin stands for the host in what Astro writes */
export function siteFiles(origin) {
  return { name: 'site-files', hooks: { 'astro:build:done': ({ dir }) => finish(fileURLToPath(dir), origin) } }
}

function finish(folder, origin) {
  // A map of the site holds absolute addresses alone.
  for (const name of readdirSync(folder)) if (/^sitemap.*\.xml$/.test(name)) rmSync(join(folder, name))
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(html|css|js|json|md|svg|txt)$/.test(name))
  const hashes = new Set()
  for (const name of files) {
    const file = join(folder, name)
    const written = readFileSync(file, 'utf8')
    const text = written.replace(/<link rel="sitemap"[^>]*>/, '').replaceAll(origin, '')
    if (text !== written) writeFileSync(file, text)
    if (name.endsWith('.html')) for (const script of inlineScripts(text)) hashes.add(hashOf(script))
    writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }))
  }
  writeFileSync(join(folder, 'script-hashes.json'), JSON.stringify([...hashes].sort()))
}

function inlineScripts(html) {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, script]) => script)
}

const hashOf = (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`
