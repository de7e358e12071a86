// `causeway open`: a one-time link into the console of the local environment that runs in this folder, opened in the browser.

import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { type CommandBody, UsageError } from '../command.ts'
import { findServer } from '../deployment.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { openBrowser } from '../profile/open-browser.ts'

const answerMsMax = 10_000

export const openConsole: CommandBody = async ({ env, terminal, args, flags }) => {
  const [role = 'business'] = args
  if (role !== 'business' && role !== 'operator') throw new UsageError('open takes business or operator')
  const { url, expiresInMinutes } = await createLink(env, role)
  if (flags['json'] || !terminal.isInteractive) terminal.print(JSON.stringify({ url, expiresInMinutes }))
  else {
    terminal.print(`${url}\nThis link signs one browser in, once, within ${expiresInMinutes} minutes.`)
    openBrowser(env, url)
  }
  return exitCodes.done
}

async function createLink(env: Parameters<typeof findServer>[0], role: string) {
  const server = await findServer(env)
  if (server === null) throw new Error('No local environment runs in this folder. Start one with npm start.')
  const response = await fetch(`${server.baseUrl}/console/local-links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.adminSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ role }),
    signal: AbortSignal.timeout(answerMsMax),
  })
  const answer: unknown = await response.json()
  const data = isJsonObject(answer) ? answer['data'] : null
  if (!isJsonObject(data))
    throw new Error(
      `The server at ${server.baseUrl} gives no link (${response.status}): npm start did not start this server.`,
    )
  return { url: `${server.baseUrl}/console/link#${data['code']}`, expiresInMinutes: Number(data['expiresInMinutes']) }
}
