// Generators of TypeScript: their types are checked strictly.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { countIn, document, type Generator, inFolder, type Place, root, write } from './place.ts'

/** Checks types strictly, bundles and runs a program in TypeScript. */
async function runTypeScript(place: Place, program: string): Promise<string> {
  await write(place, 'list.ts', program)
  const options = '--noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --lib esnext,dom'
  await inFolder(place, join(root, 'node_modules/.bin/tsc'), ...options.split(' '), '--types', '', 'list.ts')
  const bundle = ['list.ts', '--file', 'list.mjs', '--platform', 'node']
  await inFolder(place, join(root, 'node_modules/.bin/rolldown'), ...bundle)
  return await inFolder(place, process.execPath, 'list.mjs')
}

/** Runs a generator of npm beside the TypeScript that it works with: 7 has no interface for programs. */
async function npx(place: Place, versions: string[], ...command: string[]): Promise<void> {
  const packages = [...versions, 'typescript@5.9.3'].map((version) => `--package=${version}`)
  await inFolder(place, 'npx', '--yes', '--ignore-scripts', ...packages, ...command)
}

export const openapiTypescript: Generator = {
  name: 'openapi-typescript',
  command: 'npx',
  async run(place) {
    await mkdir(join(place.folder, 'made'), { recursive: true })
    await npx(place, ['openapi-typescript@7.13.0'], 'openapi-typescript', document, '-o', 'made/api.d.ts')
    const listed = await runTypeScript(
      place,
      `import type { paths } from './made/api.d.ts'
type Answer = paths['/v0/end-users']['get']['responses'][200]['content']['application/json']
const headers = { authorization: ${JSON.stringify(`Bearer ${place.apiKey}`)} }
const { data } = await (await fetch(${JSON.stringify(`${place.baseUrl}/v0/end-users`)}, { headers })).json() as Answer
console.log(data.map(({ externalUserId }) => externalUserId).join())
`,
    )
    return { listed, ...(await countIn(join(place.folder, 'made'), '.ts', /^ {8}[A-Z]\w+: /gm)) }
  },
}

export const heyApi: Generator = {
  name: '@hey-api/openapi-ts',
  command: 'npx',
  async run(place) {
    await mkdir(place.folder, { recursive: true })
    await npx(place, ['@hey-api/openapi-ts@0.99.0'], 'openapi-ts', '-i', document, '-o', 'made')
    const listed = await runTypeScript(
      place,
      `import { client } from './made/client.gen'
import { listEndUsers } from './made/sdk.gen'
client.setConfig({ baseUrl: ${JSON.stringify(place.baseUrl)}, auth: ${JSON.stringify(place.apiKey)} })
const { data } = await listEndUsers({ throwOnError: true })
console.log(data.data.map(({ externalUserId }) => externalUserId).join())
`,
    )
    return { listed, ...(await countIn(join(place.folder, 'made'), 'types.gen.ts', /^export type /gm)) }
  },
}
