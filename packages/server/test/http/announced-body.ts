// A request whose body is announced by its headers and sent whole, in part or never. Node's own client copies no body, as `fetch`
// does.

import { request as rawRequest } from 'node:http'
import type { Answer } from '../caller.ts'

export function announceBody(
  method: string,
  url: string,
  headers: Record<string, string | number>,
  beginning: string | Buffer = '',
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const request = rawRequest(url, { method, headers: { 'content-type': 'application/json', ...headers } })
  request.on('error', reject)
  request.on('response', async (response) => {
    const chunks: Buffer[] = await response.toArray()
    const text = Buffer.concat(chunks).toString('utf8')
    const answered = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
    resolve({ status: response.statusCode ?? 0, headers: answered, body: JSON.parse(text), text })
    request.destroy()
  })
  if (beginning.length === 0) request.flushHeaders()
  else request.write(beginning)
  return promise
}
