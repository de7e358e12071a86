// Runs the samples of the API reference: they replay the story of the recorded responses, with writes in one language
// and reads in each. The compiler checks TypeScript samples with the sources; the others are parsed here.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  type Operation,
  operationsOf,
  type Samples,
  samplesOf,
  sdkCall,
} from '../../../scripts/code-samples/samples.ts'
import { type Ask, tellStory } from '../../../scripts/recording/story.ts'
import { lacking, pythonPath } from '../../../scripts/test-needs.ts'
import { Causeway } from '../../sdk/src/index.ts'
import { openWorld } from './world.ts'

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
const operations = operationsOf(document)
const shell = promisify(execFile)
const checkedIn = (label: string): string[] =>
  operations.map(({ described }) => {
    const samples = described['x-codeSamples'] as { label: string; source: string }[]
    return (
      samples.find((sample) => sample.label === label)?.source ??
      assert.fail(`${described['operationId']} lacks ${label}`)
    )
  })

/** Runs programs one after the other in one interpreter, which takes less time than to start one for each. */
function pythonInterpreter() {
  const loop = [
    'import json, os, sys',
    'for line in sys.stdin:',
    '    asked, printed = json.loads(line), []',
    '    os.environ.update(asked["env"])',
    '    try:',
    '        code = compile(asked["source"], "sample", "exec")',
    '        if asked["run"]: exec(code, {"print": printed.append})',
    '        print(json.dumps({"printed": printed}), flush=True)',
    '    except BaseException as error:',
    '        print(json.dumps({"error": repr(error)}), flush=True)',
  ].join('\n')
  const child = spawn(pythonPath, ['-c', loop], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  return {
    async run(source: string, env: Record<string, string> = {}, run = true): Promise<unknown> {
      child.stdin.write(`${JSON.stringify({ source, env, run })}\n`)
      const { printed, error } = JSON.parse((await once(lines, 'line'))[0])
      assert.equal(error, undefined, source)
      return printed[0]
    },
    stop: () => child.stdin.end(),
  }
}

describe('code samples', async () => {
  const noPython = lacking('python')
  const python = noPython ? null : pythonInterpreter()
  const world = await openWorld({ alone: true })
  after(async () => {
    python?.stop()
    await world.stop()
  })

  test('all in curl are a command of the shell', async () => {
    for (const source of checkedIn('curl')) assert.match(source, /^curl /)
    await shell('bash', ['-n', '-c', checkedIn('curl').join('\n')])
  })

  test('all in Python are a program', { skip: noPython }, async () => {
    for (const source of checkedIn('Python')) await python?.run(source, {}, false)
  })

  const runners = {
    curl: async ({ curl }: Samples, env: Record<string, string>) => {
      const setUp = `command -v uuidgen >/dev/null || uuidgen() { '${process.execPath}' -p 'crypto.randomUUID()'; }`
      const { stdout } = await shell(
        'bash',
        ['-e', '-c', `${setUp}\n${curl.replace('curl', 'curl -sS --fail-with-body')}`],
        {
          env: { ...process.env, ...env },
        },
      )
      return JSON.parse(stdout).data
    },
    python: async (samples: Samples, env: Record<string, string>) => python?.run(samples.python, env),
  }

  async function runSdk(operation: Operation, request: object, apiKey: string): Promise<unknown> {
    const printed: unknown[] = []
    const code = sdkCall(operation, request)
    const run = new Function('causeway', 'console', `return (async () => {${code}})()`)
    await run(new Causeway({ baseUrl: world.url, apiKey }), { log: (value: unknown) => printed.push(value) })
    return code.startsWith('for await') ? printed : printed[0]
  }

  test('the whole story can be told by them', async () => {
    const ran = new Set<string>()
    const ask: Ask = async (id, { key = '', ...request } = {}) => {
      const index = operations.findIndex((operation) => operation.id === id)
      const operation = operations[index] ?? assert.fail(`there is no operation ${id}`)
      const env = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key, CAUSEWAY_ADMIN_SECRET: key }
      const samples = samplesOf(operation, request)
      const ways = [
        () => runSdk(operation, request, key),
        () => runners.curl(samples, env),
        ...(python ? [() => runners.python(samples, env)] : []),
      ]
      const chosen = operation.method === 'GET' && !ran.has(id) ? ways : [ways[index % ways.length] ?? assert.fail()]
      ran.add(id)
      const answers: unknown[] = []
      for (const way of chosen) answers.push(await way())
      return answers.at(-1)
    }
    await tellStory({ facts: world.facts, parts: world.inside }, ask)
    assert.deepEqual(
      operations.filter(({ id }) => !ran.has(id)).map(({ id }) => id),
      [],
    )
  })
})
