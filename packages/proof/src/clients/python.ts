// Generators of Python: few models, which load quickly.

import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { document, filesIn, type Generator, inFolder, type Place, type Result, write } from './place.ts'

const modelsMax = 250
const importSecondsMax = 1

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

export const openapiPythonClient: Generator = {
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

export const datamodelCodeGenerator: Generator = {
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
