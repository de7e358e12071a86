// The metadata of an OpenID Connect issuer and nothing more: enough for the operations that set a sign-in.

import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Starts an issuer on a free port of this machine, until it is disposed of.
 * @param options.unref does not keep the process alive
 */
export async function startIssuerMetadata(options: { unref?: true } = {}): Promise<{ url: string } & AsyncDisposable> {
  let url = ''
  const server = createServer((request, response) => {
    const isFound = request.url === '/issuer/.well-known/openid-configuration'
    const at = (path: string) => `${url}/${path}`
    const metadata = {
      issuer: url,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      jwks_uri: at('keys'),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }
    response.writeHead(isFound ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isFound ? metadata : {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  if (options.unref) server.unref()
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the issuer has no port')
  url = `http://127.0.0.1:${address.port}/issuer`
  return {
    url,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
