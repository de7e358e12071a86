// `causeway mcp`: the API as tools of the Model Context Protocol, over standard input and output.

import { once } from 'node:events'
import { type CallToolResult, McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Transport } from '../../../sdk/src/core/request.ts'
import { operations } from '../../../sdk/src/generated/operations.gen.ts'
import { isJsonObject, type JsonObject } from '../../../server/src/platform/values/json.ts'
import { version } from '../../../server/src/platform/version.ts'
import { type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { failureOf } from '../output/failure.ts'
import { safeJson } from '../output/safe-text.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'
import { interruptOf } from '../watching/interrupt.ts'
import { type Action, isWriting, listTools, type Tool } from './tools.ts'

const timeoutMs = 45_000
/** Longest response, in characters: about 15,000 tokens of an assistant's context. */
const answerMax = 60_000
const limitDefault = 20

/** @throws NotSignedIn, UsageError */
export async function serveMcp(context: Context): Promise<number> {
  const { flags, terminal } = context
  if (flags['apiKey'] !== undefined)
    throw new UsageError('mcp uses standard input: set the key with CAUSEWAY_API_KEY or a profile')
  const target = await resolveTarget(context)
  const apiKey = requireKey(target)
  const transport = new Transport({ baseUrl: target.baseUrl, apiKey, timeoutMs })
  const mayWrite = flags['write'] === true
  const signal = interruptOf(terminal)
  const handle = serveStdio(() => createServer(listTools(mayWrite), transport, apiKey, mayWrite))
  terminal.complain(`Serving ${target.baseUrl} on standard input and output${mayWrite ? ', with --write' : ''}.`)
  await Promise.race([once(process.stdin, 'close'), once(process.stdin, 'end'), once(signal, 'abort')])
  await handle.close()
  return signal.aborted ? exitCodes.interrupted : exitCodes.done
}

function createServer(tools: readonly Tool[], transport: Transport, apiKey: string, mayWrite: boolean): McpServer {
  const server = new McpServer({ name: 'causeway', version }, { instructions: instructionsOf(mayWrite) })
  for (const tool of tools) {
    const { name, title, description, isReading, isDestructive } = tool
    const annotations = { title, readOnlyHint: isReading, destructiveHint: isDestructive, openWorldHint: false }
    server.registerTool(name, { title, description, inputSchema: inputOf(tool), annotations }, async (given) => {
      const text = await answerOf(transport, tool, given).catch(errorOf)
      const result: CallToolResult = typeof text === 'string' ? resultOf(text, apiKey) : resultOf(text.error, apiKey)
      return typeof text === 'string' ? result : { ...result, isError: true }
    })
  }
  return server
}

const instructionsOf = (mayWrite: boolean): string => `Causeway connects a business to a payment provider. The business
onboards end-users (identified by externalUserId, its own identifier) and opens virtual accounts for them: bank details
whose deposits are paid out as crypto. Causeway reports every change as an event, and delivers events to the webhook endpoints
of the business.

Each tool covers one subject and takes an action. nextAction of getEndUser shows what an end-user has to do next. explainEvent
shows why an event was not delivered. listRequests shows why a request failed, by the code of its error.
Lists are newest first. nextCursor is the cursor of the next page. Amounts are decimal strings with a currency.
Responses contain no identity data, API keys or signing secrets. An error has a code, a requestId and a resolution.
${
  mayWrite
    ? 'Tools that end in _write change data. Ask the person before each call, unless this is a sandbox (whoAmI).'
    : 'This server only reads. To simulate deposits or change data, start it with: causeway mcp --write'
}`

/** Checks names here. The API checks values, and reports each fault. */
function inputOf(tool: Tool): StandardSchemaWithJSON<JsonObject, JsonObject> {
  const jsonSchema = () => ({ ...tool.inputSchema })
  return {
    '~standard': {
      version: 1,
      vendor: 'causeway',
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate(given) {
        const value = isJsonObject(given) ? given : {}
        const problem = problemOf(tool, value)
        return problem === null ? { value } : { issues: [{ message: problem }] }
      },
    },
  }
}

function problemOf({ actions }: Tool, { action: id, ...given }: JsonObject): string | null {
  const known = `Actions of this tool: ${[...actions.keys()].join(', ')}.`
  const action = actions.get(String(id))
  if (!action && isWriting(String(id)))
    return `${id} changes data. It is an action of a tool that ends in _write. To get these tools, start the server with "causeway mcp --write". ${known}`
  if (!action) return `Unknown action ${safeJson(id)}. ${known}`
  const { path, query, body } = action
  const missing = path.filter((name) => typeof given[name] !== 'string' || given[name] === '')
  if (missing.length > 0) return `${id} requires ${missing.join(' and ')}.`
  const taken = [...path, ...query, ...(body ? ['body'] : [])]
  const strange = Object.keys(given).filter((name) => !taken.includes(name))
  if (strange.length > 0)
    return `${id} does not accept ${strange.join(', ')}. Accepted: ${taken.join(', ') || 'nothing'}.`
  return null
}

async function answerOf(
  transport: Transport,
  { actions }: Tool,
  { action: id, ...given }: JsonObject,
): Promise<string> {
  const action = actions.get(String(id))
  if (!action) throw new Error(`unknown action ${id}`)
  for (let limit = limitOf(action, given); ; limit = Math.floor(limit / 2)) {
    const text = await send(transport, action, limit === 0 ? given : { ...given, limit })
    if (text.length <= answerMax) return text
    if (limit <= 1) return `${text.slice(0, answerMax)}\n[cut: ${text.length - answerMax} more characters]`
  }
}

/** @returns 0 for an operation that is not a list */
function limitOf({ query }: Action, { limit }: JsonObject): number {
  if (!query.includes('limit')) return 0
  return Number(limit) || limitDefault
}

async function send(transport: Transport, { id, path, query, body }: Action, given: JsonObject): Promise<string> {
  const { method, path: route, keyed } = operations[id]
  const { data, nextCursor } = await transport.send({
    method,
    path: route,
    keyed,
    params: Object.fromEntries(path.map((name) => [name, String(given[name])])),
    query: Object.fromEntries(query.map((name) => [name, given[name]])),
    ...(body && { body: given['body'] ?? {} }),
  })
  return safeJson(nextCursor === null ? { data } : { data, nextCursor })
}

const errorOf = (error: unknown): { error: string } => ({ error: failureOf(error, true).text })

// Responses contain no keys. If the text of another party contains one, replace it.
const secretForms = /\b(svc_(?:test|live|link|session)_|whsec_)[\w+/=-]+/g

function resultOf(text: string, apiKey: string): CallToolResult {
  return { content: [{ type: 'text', text: text.replaceAll(apiKey, '[key]').replace(secretForms, '$1…') }] }
}
