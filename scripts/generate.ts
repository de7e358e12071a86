// Writes what is generated and checked in: the OpenAPI document, the lists of operations, events, errors and settings, and the
// types and tables of the SDK.
// With --record the examples of the document are recorded anew, from a world that is started for it.
// With --check nothing is written; exit code 1 names what is stale.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sdkSources } from '../packages/sdk/scripts/sources.ts'
import { businessEvents } from './business-events.ts'
import { eventsPage } from './events-page.ts'
import { metricsPage } from './metrics-page.ts'
import { describeApi } from './openapi-document.ts'
import { configurationPage, errorsPage, operationsPage } from './reference-pages.ts'

const root = new URL('../', import.meta.url)
const openapiFile = 'packages/server/openapi.json'
const answersFile = 'scripts/recording/answers.json'

// The server reads its own description when it starts, so there must be one to start from.
if (!existsSync(new URL(openapiFile, root))) writeFileSync(new URL(openapiFile, root), '{}\n')

if (process.argv.includes('--record')) {
  const { recordAnswers } = await import('./recording/record.ts')
  const answers = await recordAnswers(await describeApi({}))
  writeFileSync(new URL(answersFile, root), `${JSON.stringify(answers, null, 2)}\n`)
}
const document = await describeApi(JSON.parse(readFileSync(new URL(answersFile, root), 'utf8')))
const exampleData = Object.fromEntries(Object.entries(businessEvents).map(([type, { example }]) => [type, example]))
const files: Readonly<Record<string, string>> = {
  [openapiFile]: `${JSON.stringify(document, null, 2)}\n`,
  // The bodies of test events.
  'packages/server/src/events/examples.gen.json': `${JSON.stringify(exampleData, null, 2)}\n`,
  'docs/operations.md': operationsPage(document),
  'docs/events.md': eventsPage(document),
  'docs/errors.md': errorsPage(),
  'docs/configuration.md': configurationPage(),
  'docs/metrics.md': metricsPage(),
  ...(await sdkSources(document)),
}

const stale = Object.entries(files).filter(([path, content]) => {
  const file = new URL(path, root)
  return !existsSync(file) || readFileSync(file, 'utf8') !== content
})

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is stale: run "npm run generate" and commit it.`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  for (const [path, content] of stale) {
    mkdirSync(dirname(fileURLToPath(new URL(path, root))), { recursive: true })
    writeFileSync(new URL(path, root), content)
    console.log(`wrote ${fileURLToPath(new URL(path, root))}`)
  }
}
