// A small OpenID Connect issuer that signs in everybody at once, and that is dishonest where a test asks for it: `oidc-provider`,
// which other tests use, is too honest for that.

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'

type Claims = Record<string, unknown>
type Grant = { challenge: string; redirectUri: string; nonce: string | null; clientId: string; maxAge: string | null }

/** Each member replaces an honest part of the issuer. */
export type Lies = {
  metadata?: (honest: Claims) => Claims
  /** Claims of the next ID tokens. */
  claims?: (honest: JWTPayload) => JWTPayload
  /** Signs with a key that the issuer does not publish. */
  isForged?: boolean
  idToken?: (signed: string) => string | undefined
  userInfo?: Claims
  /** The response to a refresh, in place of an honest one. */
  refresh?: (refreshToken: string) => { status: number; body: Claims } | null
  /** Parameters of the redirect back to the client. */
  callback?: (honest: URLSearchParams) => void
}

const keyOf = () => generateKeyPair('RS256', { extractable: true })
const [published, secret] = await Promise.all([keyOf(), keyOf()])
const keys = { keys: [{ ...(await exportJWK(published.publicKey)), kid: 'published', alg: 'RS256', use: 'sig' }] }

export type TestIssuer = Awaited<ReturnType<typeof startTestIssuer>>

/** Starts an issuer that knows one person, with these claims. Ends when it is disposed of. */
export async function startTestIssuer(person: Claims = { sub: 'ada', name: 'Ada', groups: ['admins'] }) {
  const grants = new Map<string, Grant>()
  const lies: Lies = {}
  const asked: string[] = []
  let isAway = false
  let url = ''

  const sign = async (claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> =>
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: 'published', ...header })
      .sign((lies.isForged ? secret : published).privateKey)
  const idToken = async (audience: string, nonce: string | null) => {
    const now = Math.floor(Date.now() / 1_000)
    const honest = {
      iss: url,
      aud: audience,
      iat: now,
      exp: now + 300,
      auth_time: now,
      ...person,
      ...(nonce !== null && { nonce }),
    }
    const signed = await sign(lies.claims?.(honest) ?? honest)
    return lies.idToken ? lies.idToken(signed) : signed
  }
  const tokensOf = async (audience: string, nonce: string | null) => {
    const token = await idToken(audience, nonce)
    const common = { access_token: randomText(), token_type: 'Bearer', expires_in: 300, refresh_token: randomText() }
    return { ...common, ...(token !== undefined && { id_token: token }) }
  }

  const metadata = () => {
    const honest = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      end_session_endpoint: `${url}/logout`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }
    return lies.metadata?.(honest) ?? honest
  }

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const read = (name: string) => query.get(name) ?? ''
    const code = randomText()
    const [nonce, maxAge] = [query.get('nonce'), query.get('max_age')]
    grants.set(code, {
      challenge: read('code_challenge'),
      redirectUri: read('redirect_uri'),
      nonce,
      maxAge,
      clientId: read('client_id'),
    })
    const honest = new URLSearchParams({ code, state: read('state'), iss: url })
    lies.callback?.(honest)
    response.writeHead(302, { location: `${read('redirect_uri')}?${honest}` }).end()
  }

  const token = async (form: URLSearchParams, clientId: string): Promise<{ status: number; body: Claims }> => {
    const refused = { status: 400, body: { error: 'invalid_grant' } }
    if (form.get('grant_type') === 'refresh_token') {
      const lie = lies.refresh?.(form.get('refresh_token') ?? '')
      return lie ?? { status: 200, body: await tokensOf(clientId, null) }
    }
    const grant = grants.get(form.get('code') ?? '')
    grants.delete(form.get('code') ?? '') // works once
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isSame = grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri')
    if (!grant || !isSame || grant.clientId !== clientId) return refused
    return { status: 200, body: await tokensOf(grant.clientId, grant.nonce) }
  }

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    asked.push(`${request.method} ${pathname}`)
    if (isAway) return void request.socket.destroy()
    if (pathname === '/authorize') return authorize(searchParams, response)
    const form = new URLSearchParams((await request.toArray()).join(''))
    const [scheme, credential = ''] = request.headers.authorization?.split(' ') ?? []
    const [basic = ''] = Buffer.from(scheme === 'Basic' ? credential : '', 'base64')
      .toString()
      .split(':')
    const clientId = form.get('client_id') ?? decodeURIComponent(basic)
    const found = {
      '/.well-known/openid-configuration': async () => ({ status: 200, body: metadata() }),
      '/keys': async () => ({ status: 200, body: keys }),
      '/token': () => token(form, clientId),
      '/userinfo': async () => ({ status: 200, body: lies.userInfo ?? person }),
    }[pathname]
    const { status, body } = (await found?.()) ?? { status: 404, body: {} }
    response
      .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(body))
  }

  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the issuer has no port')
  url = `http://127.0.0.1:${address.port}`
  return {
    url,
    /** Set its members to make the issuer dishonest. */
    lies,
    /** Requests that it has had, as `GET /keys`. */
    asked,
    /** Changes what the issuer knows of its person. */
    change: (claims: Claims) => void Object.assign(person, claims),
    /** Ends every connection without a response, or responds again. */
    away(is: boolean) {
      isAway = is
    },
    /** A signed token of this issuer with any claims. */
    sign,
    /** A logout token for the person at a client. */
    logoutToken: async (
      clientId: string,
      claims: JWTPayload = {},
      header: Partial<JWTHeaderParameters> = { typ: 'logout+jwt' },
    ) => {
      const now = Math.floor(Date.now() / 1_000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const honest = {
        iss: url,
        aud: clientId,
        iat: now,
        exp: now + 120,
        jti: randomText(),
        events,
        sub: String(person['sub']),
      }
      return await sign({ ...honest, ...claims }, header)
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const randomText = () => randomBytes(16).toString('base64url')
