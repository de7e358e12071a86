// The generators, each with the program that lists end-users by what it made.

import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Where a generator works, and the world that its client talks to. */
export type Place = { folder: string; baseUrl: string; apiKey: string }
/** `listed`: what the client printed. `importSeconds`: how long its modules take to load. */
export type Result = { files: number; models: number; importSeconds?: number }
export type Generator = { name: string; command: string; run(place: Place): Promise<Result & { listed: string }> }

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const document = join(root, 'packages/server/openapi.json')
const modelsMax = 250
const importSecondsMax = 1

const execute = promisify(execFile)

/** Runs a program in the folder. @returns what it printed @throws Error with what it complained of */
async function inFolder({ folder, apiKey }: Place, command: string, ...args: string[]): Promise<string> {
  const settings = [`API_KEY=${apiKey}`, `GOPATH=${join(folder, 'go')}`, 'GOFLAGS=-modcacherw']
  const { stdout } = await execute('env', [...settings, command, ...args], { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

export async function hasCommand(command: string): Promise<boolean> {
  return await execute(command, [command === 'go' ? 'version' : '--version']).then(
    () => true,
    () => false,
  )
}

async function write({ folder }: Place, name: string, content: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), content)
}

async function filesIn(folder: string, end: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true })
  return entries.filter((entry) => entry.endsWith(end))
}

async function countIn(folder: string, end: string, pattern: RegExp): Promise<Result> {
  const files = await filesIn(folder, end)
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return { files: files.length, models: texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0) }
}

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

const openapiTypescript: Generator = {
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

const heyApi: Generator = {
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

/** Installs packages of Python. @returns the interpreter that has them */
async function python(place: Place, ...packages: string[]): Promise<string> {
  await mkdir(place.folder, { recursive: true })
  await inFolder(place, 'python3', '-m', 'venv', 'venv')
  const interpreter = join(place.folder, 'venv/bin/python')
  await inFolder(place, interpreter, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages)
  return interpreter
}

/** Loads a module behind the libraries that the module leans on. @returns the CPU time of it in seconds */
async function importSeconds(place: Place, interpreter: string, module: string): Promise<number> {
  const program = `import httpx, time; at = time.process_time(); import ${module}; print(time.process_time() - at)`
  await inFolder(place, interpreter, '-c', program) // compiles
  const seconds = Number(await inFolder(place, interpreter, '-c', program))
  if (seconds > importSecondsMax) throw new Error(`import ${module} takes ${seconds} s`)
  return Math.round(seconds * 100) / 100
}

function requireFew(result: Result): Result {
  if (result.models >= modelsMax) throw new Error(`${result.models} models, not below ${modelsMax}`)
  return result
}

const openapiPythonClient: Generator = {
  name: 'openapi-python-client',
  command: 'python3',
  async run(place) {
    const interpreter = await python(place, 'openapi-python-client==0.29.1', 'pydantic==2.14.3')
    const make = ['generate', '--path', document, '--output-path', 'made', '--meta', 'none']
    await inFolder(place, join(place.folder, 'venv/bin/openapi-python-client'), ...make)
    await write(
      place,
      'list.py',
      `from made.api.end_users import list_end_users
from made.client import AuthenticatedClient
client = AuthenticatedClient(base_url=${JSON.stringify(place.baseUrl)}, token=${JSON.stringify(place.apiKey)})
print([user.external_user_id for user in list_end_users.sync(client=client).data])
`,
    )
    const listed = await inFolder(place, interpreter, 'list.py')
    const { length: files } = await filesIn(join(place.folder, 'made'), '.py')
    const { length: models } = await filesIn(join(place.folder, 'made/models'), '.py')
    const seconds = await importSeconds(place, interpreter, 'made.api.end_users.list_end_users')
    return { listed, ...requireFew({ files, models }), importSeconds: seconds }
  },
}

const datamodelCodeGenerator: Generator = {
  name: 'datamodel-code-generator',
  command: 'python3',
  async run(place) {
    const interpreter = await python(
      place,
      'datamodel-code-generator==0.89.0',
      'pydantic[email]==2.14.3',
      'httpx==0.28.1',
    )
    const make = ['--input', document, '--input-file-type', 'openapi', '--output', 'made.py']
    const style = ['--output-model-type', 'pydantic_v2.BaseModel', '--formatters', 'builtin']
    await inFolder(place, join(place.folder, 'venv/bin/datamodel-codegen'), ...make, ...style)
    await write(
      place,
      'list.py',
      `import httpx, made
headers = {"authorization": "Bearer " + ${JSON.stringify(place.apiKey)}}
answer = httpx.get(${JSON.stringify(`${place.baseUrl}/v0/end-users`)}, headers=headers)
print([user.externalUserId for user in made.EndUserListAnswer.model_validate_json(answer.content).data])
`,
    )
    const listed = await inFolder(place, interpreter, 'list.py')
    const models = (await readFile(join(place.folder, 'made.py'), 'utf8')).match(/^class /gm)?.length ?? 0
    const seconds = await importSeconds(place, interpreter, 'made')
    return { listed, ...requireFew({ files: 1, models }), importSeconds: seconds }
  },
}

const oapiCodegen: Generator = {
  name: 'oapi-codegen',
  command: 'go',
  async run(place) {
    await mkdir(place.folder, { recursive: true })
    await inFolder(place, 'go', 'install', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2')
    // Pruning takes the headers of webhooks away, which stay in use.
    const make = ['-generate', 'types,client,skip-prune', '-package', 'main', '-o', 'made.go', document]
    await inFolder(place, join(place.folder, 'go/bin/oapi-codegen'), ...make)
    await write(place, 'list.go', listInGo)
    await inFolder(place, 'go', 'mod', 'init', 'example.com/list')
    await inFolder(place, 'go', 'get', 'github.com/oapi-codegen/runtime@v1.8.0')
    await inFolder(place, 'go', 'mod', 'tidy')
    await inFolder(place, 'go', 'build', '-o', 'list', '.')
    const listed = await inFolder(place, join(place.folder, 'list'), place.baseUrl)
    const models = (await readFile(join(place.folder, 'made.go'), 'utf8')).match(/^type \w+ struct/gm)?.length ?? 0
    return { listed, files: 1, models }
  },
}

const listInGo = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	client, err := NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	signed := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	answer, err := client.ListEndUsersWithResponse(context.Background(), &ListEndUsersParams{}, signed)
	if err != nil {
		panic(err)
	}
	for _, user := range answer.JSON200.Data {
		fmt.Println(user.ExternalUserId)
	}
}
`

export const generators: readonly Generator[] = [
  openapiTypescript,
  heyApi,
  openapiPythonClient,
  datamodelCodeGenerator,
  oapiCodegen,
]
