// Writes what is generated and checked in: the OpenAPI document, the lists of events, errors and settings, and the
// types and tables of the SDK.
// With --record, the examples of the document are recorded again, from a local environment that is started for it.
// With --check nothing is written; exit code 1 names what is stale.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sdkSources } from '../packages/sdk/scripts/sources.ts'
import { businessEvents } from './business-events.ts'
import { addCodeSamples, sampleFunctions } from './code-samples/samples.ts'
import { declaredForCommandLine } from './command-line-operations.ts'
import { countryAddresses } from './country-addresses.ts'
import { eventsPage } from './events-page.ts'
import { metricsPage } from './metrics-page.ts'
import { describeApi } from './openapi-document.ts'
import { configurationPage, errorsPage } from './reference-pages.ts'
import { pagesWithSnippets } from './snippets.ts'

const root = new URL('../', import.meta.url)
const openapiFile = 'packages/server/openapi.json'
const answersFile = 'scripts/recording/answers.json'
const declaredFile = 'packages/cli/src/commands/resources/declared.gen.ts'
const requestsFile = 'scripts/recording/requests.json'

// The server reads its own description when it starts, so there must be one to start from.
if (!existsSync(new URL(openapiFile, root))) writeFileSync(new URL(openapiFile, root), '{}\n')

const read = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
const write = (path: string, value: unknown) =>
  writeFileSync(new URL(path, root), `${JSON.stringify(value, null, 2)}\n`)

/** The command line reads its declared names as it is loaded, so they are written first. */
async function commandLinePage(): Promise<string> {
  if (!process.argv.includes('--check')) writeFileSync(new URL(declaredFile, root), declaredForCommandLine())
  return (await import('./command-line-page.ts')).commandLinePage()
}

if (process.argv.includes('--record')) {
  const { record } = await import('./recording/record.ts')
  const { answers, requests } = await record(await describeApi({}))
  write(answersFile, answers)
  write(requestsFile, requests)
}
const requests = read(requestsFile)
const document = await describeApi(read(answersFile))
addCodeSamples(document, requests)
const exampleData = Object.fromEntries(Object.entries(businessEvents).map(([type, { example }]) => [type, example]))
const files: Readonly<Record<string, string>> = {
  [openapiFile]: `${JSON.stringify(document, null, 2)}\n`,
  // The bodies of test events.
  'packages/server/src/events/examples.gen.json': `${JSON.stringify(exampleData, null, 2)}\n`,
  'docs/src/content/docs/reference/events.md': eventsPage(document),
  'docs/src/content/docs/reference/errors.md': errorsPage(),
  'docs/src/content/docs/reference/configuration.md': configurationPage(),
  'docs/src/content/docs/reference/metrics.md': metricsPage(),
  'docs/src/content/docs/reference/command-line.md': await commandLinePage(),
  [declaredFile]: declaredForCommandLine(),
  'packages/forms/src/countries/addresses.gen.json': countryAddresses(),
  'packages/sdk/examples/operations.gen.ts': sampleFunctions(document, requests),
  ...(await sdkSources(document)),
  ...pagesWithSnippets(fileURLToPath(root)),
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
