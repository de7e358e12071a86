// A real OpenID Connect provider (`oidc-provider`) with a sign-in page that asks who you are, and no password: for examples and
// tests on this machine only.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Adapter, type AdapterFactory, type AdapterPayload, type Configuration, Provider } from 'oidc-provider'

/** @property groups the values of the claim `groups` */
export type StaffMember = { id: string; name: string; email: string; groups: readonly string[] }

/** Where a client is, by the addresses that `PUT /v0/sign-in` returns. */
export type ProviderClient = {
  clientId: string
  clientSecret: string
  redirectUri: string
  postLogoutRedirectUri: string
  backchannelLogoutUri: string
}

export interface StaffProvider extends AsyncDisposable {
  readonly issuer: string
  register(client: ProviderClient): void
  /** Changes a member of staff; `null` removes them. */
  change(id: string, member: Partial<StaffMember> | null): void
}

/** Starts the provider on a free port. It ends when it is disposed of. */
export async function startProvider(staff: readonly StaffMember[]): Promise<StaffProvider> {
  const members = new Map(staff.map((member) => [member.id, member]))
  const clients: ProviderClient[] = []
  const keys = [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })]
  const cookieKeys = [randomBytes(16).toString('hex')]
  let provider: Provider
  const server = createServer((request, response) => {
    const isSignIn = request.url?.startsWith('/sign-in/')
    if (isSignIn) signIn(provider, members, request, response).catch(() => response.writeHead(400).end('Start again.'))
    else provider.callback()(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the provider has no port')
  const issuer = `http://127.0.0.1:${address.port}`
  const stored = new Map<string, AdapterPayload>()
  const adapter = (kind: string) => new MemoryAdapter(kind, stored)
  const open = () => new Provider(issuer, configurationOf(members, clients, { keys, cookieKeys, adapter }))
  provider = open()
  return {
    issuer,
    register(client) {
      clients.push(client)
      provider = open()
    },
    change(id, member) {
      const old = members.get(id)
      if (member === null || !old) members.delete(id)
      else members.set(id, { ...old, ...member })
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function configurationOf(
  members: ReadonlyMap<string, StaffMember>,
  clients: readonly ProviderClient[],
  { keys, cookieKeys, adapter }: { keys: object[]; cookieKeys: string[]; adapter: AdapterFactory },
): Configuration {
  return {
    clients: clients.map((client) => ({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uris: [client.redirectUri],
      post_logout_redirect_uris: [client.postLogoutRedirectUri],
      backchannel_logout_uri: client.backchannelLogoutUri,
      backchannel_logout_session_required: true, // with it, ID tokens name the session
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })),
    claims: { openid: ['sub', 'groups'], profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false, // the ID token has all claims
    async findAccount(_context, id) {
      const member = members.get(id)
      if (!member) return undefined
      const { name, email, groups } = member
      return {
        accountId: id,
        claims: async () => ({ sub: id, name, email, email_verified: true, groups: [...groups] }),
      }
    },
    // The staff of a company does not consent to the company's own console.
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        logoutSource(context, form) {
          context.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`
        },
        postLogoutSuccessSource(context) {
          context.body = 'You are signed out.'
        },
      },
    },
    // By default, the provider sends nothing to addresses of this machine.
    fetch: (url, { dispatcher: _guard, ...init }: RequestInit & { dispatcher?: unknown } = {}) => fetch(url, init),
    adapter,
    pkce: { required: () => true },
    jwks: { keys },
    cookies: { keys: cookieKeys },
    ttl: { AccessToken: 300, IdToken: 300, RefreshToken: 86_400, Session: 86_400, Grant: 86_400, Interaction: 600 },
  }
}

/** The page that asks who signs in, and the form that it sends. */
async function signIn(
  provider: Provider,
  members: ReadonlyMap<string, StaffMember>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await provider.interactionDetails(request, response)
  if (request.method !== 'POST') {
    const buttons = [...members.values()].map(
      ({ id, name }) => `<button name="member" value="${encodeURIComponent(id)}">${name.replace(/[<&]/g, '')}</button>`,
    )
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    return void response.end(`<!doctype html><title>Who are you?</title><h1>Who are you?</h1>
      <form method="post">${buttons.join(' ')}</form>`)
  }
  const form = new URLSearchParams((await request.toArray()).join(''))
  const accountId = decodeURIComponent(form.get('member') ?? '')
  await provider.interactionFinished(request, response, { login: { accountId } })
}

/** Keeps what the provider stores until it ends: codes, sessions, refresh tokens. */
class MemoryAdapter implements Adapter {
  readonly #kind: string
  readonly #stored: Map<string, AdapterPayload>

  constructor(kind: string, stored: Map<string, AdapterPayload>) {
    this.#kind = kind
    this.#stored = stored
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#stored.set(this.#key(id), payload)
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#stored.get(this.#key(id))
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#all().find(([, payload]) => payload.uid === uid)?.[1]
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#all().find(([, payload]) => payload.userCode === userCode)?.[1]
  }

  async consume(id: string): Promise<void> {
    const payload = await this.find(id)
    if (payload) payload['consumed'] = Math.floor(Date.now() / 1_000)
  }

  async destroy(id: string): Promise<void> {
    this.#stored.delete(this.#key(id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, payload] of this.#all()) if (payload.grantId === grantId) this.#stored.delete(key)
  }

  #key(id: string): string {
    return `${this.#kind} ${id}`
  }

  #all(): [string, AdapterPayload][] {
    return [...this.#stored].filter(([key]) => key.startsWith(`${this.#kind} `))
  }
}
