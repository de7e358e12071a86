// `npm run example:oidc` starts an environment with a real OpenID Connect provider next to it, and walks through the sign-in
// of staff: of a business and of the operator. Leaves nothing behind.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { startService } from '../service.ts'
import { Browser, type Visit } from './browser.ts'
import { type ProviderClient, type StaffProvider, startProvider } from './provider.ts'

const secret = () => randomBytes(24).toString('base64url')
const saw = (text: string) => console.log(`  ✓ ${text}`)

const staff = [
  { id: 'ada', name: 'Ada Lovelace', email: 'ada@acme.example', groups: ['payments-admins'] },
  { id: 'grace', name: 'Grace Hopper', email: 'grace@acme.example', groups: ['payments-support'] },
  { id: 'eve', name: 'Eve', email: 'eve@acme.example', groups: ['marketing'] },
  { id: 'olga', name: 'Olga', email: 'olga@operator.example', groups: ['platform-admins'] },
]
const roles = { claim: 'groups', values: { 'payments-admins': 'admin', 'payments-support': 'support' } }
const operatorRoles = { claim: 'groups', values: { 'platform-admins': 'admin' } }

type Place = { baseUrl: string; adminSecret: string; customerId: string }

async function ask(
  { baseUrl }: Place,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: an example reads what it has just asked for
): Promise<any> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return Object.assign({ status: response.status }, await response.json())
}

const asOperator = ({ adminSecret }: Place) => ({ authorization: `Bearer ${adminSecret}` })

/** Addresses of the sign-in, as `PUT /v0/sign-in` returns them. */
function clientOf({ baseUrl }: Place, owner: string, clientId: string, clientSecret: string): ProviderClient {
  const base = `${baseUrl}/console/sign-in`
  const addresses = { redirectUri: `${base}/callback/${owner}`, backchannelLogoutUri: `${base}/${owner}/logout` }
  return { clientId, clientSecret, ...addresses, postLogoutRedirectUri: base }
}

/** Signs in at the provider's page, as a browser does. */
async function signIn({ baseUrl }: Place, owner: string, member: string, browser: Browser): Promise<Visit> {
  const page = await browser.open(`${baseUrl}/console/sign-in/${owner}`)
  return await browser.open(page.url, { member })
}

/** The console as this browser sees it: its session, and requests of its pages. */
async function consoleOf(place: Place, browser: Browser) {
  const cookie = browser.cookieFor(place.baseUrl)
  const { session } = (await ask(place, 'GET', '/console/config', { cookie, 'x-causeway-console': '1' })).data
  const own = { cookie, 'x-causeway-console': session?.id ?? '1' }
  return { session, ask: (method: string, path: string, body?: unknown) => ask(place, method, path, own, body) }
}

async function signInToBusiness(place: Place, provider: StaffProvider): Promise<void> {
  console.log('\nThe staff of a business')
  const { customerId: owner } = place
  const client = clientOf(place, owner, 'acme-causeway', secret())
  provider.register(client)
  const { clientId, clientSecret } = client
  const body = { issuer: provider.issuer, clientId, clientSecret, roles }
  const set = await ask(place, 'PUT', `/v0/customers/${owner}/sign-in`, asOperator(place), body)
  assert.deepEqual([set.status, set.data.redirectUri], [200, client.redirectUri])
  saw('PUT /v0/customers/:customerId/sign-in read the metadata of the issuer, and stored issuer, client and roles')

  const [ada, grace] = [new Browser(), new Browser()]
  await signIn(place, owner, 'ada', ada)
  const { session, ask: asAda } = await consoleOf(place, ada)
  assert.deepEqual([session.staff.name, session.staff.roles], ['Ada Lovelace', ['admin']])
  saw(`Ada signed in at ${provider.issuer} and has the role admin`)

  await signIn(place, owner, 'grace', grace)
  const { ask: asGrace } = await consoleOf(place, grace)
  assert.deepEqual(
    [(await asGrace('GET', '/v0/end-users')).status, (await asGrace('GET', '/v0/api-keys')).status],
    [200, 403],
  )
  saw('Grace has the role support: she reads end-users, and gets 403 for API keys')

  const refused = await signIn(place, owner, 'eve', new Browser())
  assert.equal(new URL(refused.url).searchParams.get('error'), 'role_unknown')
  saw('Eve has no group with a role: role_unknown')

  const { data: entries } = await asAda('GET', '/v0/audit-log?action=console_session.opened')
  assert.ok(JSON.stringify(entries).includes('ada@acme.example'))
  saw('The audit log names Ada')

  await signOutAtProvider(provider, ada)
  assert.equal((await consoleOf(place, ada)).session, null)
  assert.notEqual((await consoleOf(place, grace)).session, null)
  saw('Ada signed out at the provider: back-channel logout ended her session, and Grace is still signed in')

  const { data } = await asGrace('DELETE', '/console/session?everywhere=true')
  assert.ok(data.endSessionUrl.startsWith(provider.issuer))
  assert.equal((await consoleOf(place, grace)).session, null)
  saw('Grace signed out everywhere')
}

/** The page of the provider that ends its session, and tells the clients. */
async function signOutAtProvider({ issuer }: StaffProvider, browser: Browser): Promise<void> {
  const { text, url } = await browser.open(`${issuer}/session/end`)
  const [, action = ''] = /action="([^"]+)"/.exec(text) ?? []
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(text) ?? []
  await browser.open(new URL(action, url).href, { xsrf, logout: 'yes' })
}

async function signInAsOperator(
  place: Place,
  provider: StaffProvider,
  client: { clientId: string; clientSecret: string },
) {
  console.log('\nThe staff of the operator')
  provider.register(clientOf(place, 'operator', client.clientId, client.clientSecret))
  const olga = new Browser()
  await signIn(place, 'operator', 'olga', olga)
  const { session, ask: asOlga } = await consoleOf(place, olga)
  assert.deepEqual([session.role, session.staff.roles], ['operator', ['admin']])
  assert.equal((await asOlga('GET', '/v0/customers')).status, 200)
  saw('Olga signed in as the operator, by OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_ROLES')
  const refused = await signIn(place, 'operator', 'ada', new Browser())
  assert.equal(new URL(refused.url).searchParams.get('error'), 'role_unknown')
  saw('Ada is no staff of the operator: role_unknown')
}

export async function main(): Promise<number> {
  await using provider = await startProvider(staff)
  console.log(`The provider: ${provider.issuer}`)
  const client = { clientId: 'causeway-operator', clientSecret: secret() }
  const service = await startService({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.clientId,
    OIDC_CLIENT_SECRET: client.clientSecret,
    OIDC_ROLES: JSON.stringify(operatorRoles),
  })
  try {
    const { baseUrl, adminSecret = '' } = service
    const { data } = await ask({ baseUrl, adminSecret, customerId: '' }, 'GET', '/v0/whoami', {
      authorization: `Bearer ${service.apiKey}`,
    })
    const place = { baseUrl, adminSecret, customerId: data.customerId }
    console.log(`Causeway: ${baseUrl}`)
    await signInToBusiness(place, provider)
    await signInAsOperator(place, provider, client)
    console.log('\nThe sign-in holds.')
    return 0
  } catch (error) {
    console.error('\nThe sign-in broke here:', error)
    return 1
  } finally {
    await service.stop()
  }
}

if (import.meta.main) process.exitCode = await main()
