// Environment → one frozen Config. The only file that reads `process.env`. /docs/reference/configuration is generated from `settings`.
// Above the usual length: most of it is the table of settings, which is read as a whole.

import { isIP } from 'node:net'
import { resolve } from 'node:path'
import {
  type Config,
  ConfigError,
  type DefaultEndorsement,
  type FixedLimits,
  fixedLimits,
  type ProviderKind,
  providerOf,
  providerSettings,
  providers,
  type RoleMapping,
} from './config.ts'
import { isEmailAddress, readSmtpAddress } from './email-address.ts'
import { readRedisAddress, redisAddressRule } from './http/limits/redis-address.ts'
import { readAddresses } from './postgres/connecting/addresses.ts'
import { operatorRoles, readRoleMapping } from './role-mapping.ts'
import { isGuessable } from './secrets/secret-strength.ts'
import { isWellFormedHost } from './values/business-url.ts'
import { extendRails, type RailTable, readRailExtension } from './values/rails.ts'

type Parse<T> = (text: string) => T | Problem
class Problem {
  readonly rule: string
  constructor(rule: string) {
    this.rule = rule
  }
}

type Setting<T> = {
  name: string
  about: string
  /** The default, written as in the environment; `undefined` means "not set". */
  fallback?: string
  secret?: true
  /** The providers that use the setting. Omitted: every provider. */
  kinds?: readonly ProviderKind[]
  parse: Parse<T>
}

const text: Parse<string> = (value) => value
const oneOf =
  <T extends string>(...allowed: T[]): Parse<T> =>
  (value) =>
    allowed.find((option) => option === value) ?? new Problem(`must be one of ${allowed.join(', ')}`)
const integer =
  (min: number, max: number): Parse<number> =>
  (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : new Problem(`must be a whole number from ${min} to ${max}`)
const httpUrl: Parse<string> = (value) => {
  if (!URL.canParse(value)) return new Problem('must be an absolute http or https URL')
  const url = new URL(value)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return new Problem('must be an absolute http or https URL')
  if (!isWellFormedHost(url.hostname)) return new Problem('must name a valid host')
  if (url.username || url.password) return new Problem('must not contain a user name or password')
  return value.replace(/\/+$/, '')
}
const postgresUrl: Parse<string> = (value) => {
  try {
    readAddresses(value)
    return value
  } catch (error) {
    return new Problem(error instanceof RangeError ? error.message : 'cannot be read')
  }
}
const redisUrl: Parse<string> = (value) => (readRedisAddress(value) ? value : new Problem(redisAddressRule))
const smtpUrl: Parse<string> = (value) =>
  readSmtpAddress(value)
    ? value
    : new Problem('must be smtp://host:port or smtps://host:port, with an optional user and password')
const emailAddress: Parse<string> = (value) =>
  isEmailAddress(value) ? value : new Problem('must be an email address, without a name')
const proxyList: Parse<boolean | readonly string[]> = (value) => {
  if (value === 'true' || value === 'false') return value === 'true'
  const list = value.split(',').map((part) => part.trim())
  return list.every(isNetwork)
    ? list
    : new Problem('must be true, false, or addresses and networks of proxies such as 10.0.0.0/8, separated by commas')
}
const isNetwork = (text: string): boolean => {
  const [address = '', bits = '32', ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(text)
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}
const secrets =
  (lengthMin: number): Parse<string[]> =>
  (value) => {
    const list = value.split(',').map((part) => part.trim())
    return list.every((part) => part.length >= lengthMin)
      ? list
      : new Problem(`must be one or more secrets of at least ${lengthMin} characters, separated by commas`)
  }
const originList: Parse<readonly string[]> = (value) => {
  const list = value === '' ? [] : value.split(',').map((part) => part.trim())
  const isOrigin = (part: string, url = URL.parse(part)) => url?.origin === part && isWellFormedHost(url.hostname)
  return list.every((part) => isOrigin(part))
    ? list
    : new Problem('must be origins such as https://app.example.com, separated by commas')
}
const numberList: Parse<number[]> = (value) => {
  const list = value.split(',').map((part) => part.trim())
  return list.length <= 20 && list.every((part) => /^\d{1,7}(\.\d{1,3})?$/.test(part))
    ? list.map(Number)
    : new Problem('must be at most 20 numbers of seconds, separated by commas')
}
const pemList: Parse<string[]> = (value) => {
  const normal = value.replaceAll('\\n', '\n')
  const found = normal.match(/-----BEGIN PUBLIC KEY-----[\s\S]+?-----END PUBLIC KEY-----/g)
  return found ?? new Problem('must hold one or more PEM public keys')
}

/** `base,sepa,MEX:spei`: a name after a country is required only of residents of that country. */
const endorsementList: Parse<DefaultEndorsement[]> = (value) => {
  const list = value.split(',').map((part) => /^(?:([A-Z]{3}):)?([a-z][a-z0-9_]{0,31})$/.exec(part.trim()))
  const read = list.map((part) => part && { name: part[2] ?? '', country: part[1] ?? null })
  return read.every((entry) => entry !== null)
    ? read
    : new Problem('must be names separated by commas, each with an optional country and colon in front: `MEX:spei`')
}
const percent: Parse<string> = (value) =>
  /^(0|[1-9][0-9]?)(\.[0-9]{1,4})?$/.test(value)
    ? value
    : new Problem('must be a decimal from 0 up to, and not including, 100')

const railTable: Parse<RailTable> = (value) => {
  if (value === '{}') return providerSettings.offer
  try {
    return extendRails(providerSettings.offer, readRailExtension(value))
  } catch (error) {
    return new Problem(
      `must be JSON such as {"chains":{"sei":{"addressFamily":"evm","currencies":["usdc"]}}}: ${
        error instanceof RangeError ? error.message : 'it cannot be read'
      }`,
    )
  }
}

const issuerUrl: Parse<string> = (value) => {
  const url = URL.parse(value)
  if (url === null || !isWellFormedHost(url.hostname) || url.username || url.password || url.search || url.hash)
    return new Problem('must be the URL of an OpenID Connect issuer, such as https://login.example.com')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    return new Problem('must use https')
  return value
}
const roleMapping: Parse<RoleMapping> = (value) => {
  try {
    return readRoleMapping(value, operatorRoles)
  } catch (error) {
    return new Problem(
      `must be JSON such as {"claim":"groups","values":{"platform-admins":"admin","platform-support":"support"}}: ${
        error instanceof RangeError ? error.message : 'it cannot be read'
      }`,
    )
  }
}
/** Names of scopes by RFC 6749, 3.3. Without `openid` an issuer returns no ID token. */
const scopeList: Parse<string> = (value) => {
  const names = value.split(/ +/)
  return names.includes('openid') && names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(name))
    ? names.join(' ')
    : new Problem('must be names of scopes separated by spaces, one of them `openid`')
}

/** Members that `parseConfig` fills in. */
type Filled = 'deploymentSecrets' | 'adminSecret' | 'providerWebhookSignature' | 'oidcFreshSignInMinutes'
type Values = Omit<Config, Filled | keyof FixedLimits> & Partial<Pick<Config, Filled>>

/** A value that is never undefined has a fallback. */
type SettingOf<T> = Setting<Exclude<T, undefined>> & (undefined extends T ? unknown : { fallback: string })

export const settings = {
  mode: {
    name: 'CAUSEWAY_MODE',
    fallback: 'sandbox',
    about: '`sandbox` issues `svc_test_` keys and allows loopback http addresses; `live` does neither.',
    parse: oneOf('sandbox', 'live'),
  },
  host: { name: 'HOST', fallback: '127.0.0.1', about: 'Address to listen on. `0.0.0.0` in a container.', parse: text },
  port: { name: 'PORT', fallback: '8080', about: 'Port to listen on; 0 picks a free one.', parse: integer(0, 65_535) },
  publicUrl: {
    name: 'PUBLIC_URL',
    about:
      'Public URL of this service, used in links. Required in live mode. Default: the listening address; if that is `0.0.0.0` or `::`, links are relative.',
    parse: httpUrl,
  },
  consoleFrameAncestors: {
    name: 'CONSOLE_FRAME_ANCESTORS',
    fallback: '',
    about:
      'Origins, separated by commas, that may embed the console in a frame. Sessions work in a frame only if both are on the same site, such as `https://app.example.com` and `https://causeway.example.com`. Default: none.',
    parse: originList,
  },
  home: {
    name: 'CAUSEWAY_HOME',
    fallback: '.causeway',
    about: 'Folder of the local state: embedded database, generated secrets.',
    parse: (value: string) => resolve(value),
  },
  reusePort: {
    name: 'REUSE_PORT',
    fallback: 'off',
    about:
      '`on` lets several processes of this machine listen on the same `PORT`: the kernel distributes their connections. Requires `DATABASE_URL` and an operating system that supports it (Linux, FreeBSD). Each process counts limits alone unless `REDIS_URL` is set.',
    parse: oneOf('off', 'on'),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    secret: true,
    about:
      'PostgreSQL 15 or newer; a login that owns its database and has `CREATEROLE`, or is a member of the role `causeway_business`. Several hosts in libpq syntax: `postgresql://user:password@a:5432,b:5432/db?target_session_attrs=read-write`. Not set: an embedded PostgreSQL is started.',
    parse: postgresUrl,
  },
  databaseDirectUrl: {
    name: 'DATABASE_DIRECT_URL',
    secret: true,
    about:
      'URL of PostgreSQL itself, if `DATABASE_URL` connects to a pooler in transaction mode: for notifications, which such a pooler does not pass on, and for migrations. Statements are then not prepared, and every setting goes with its transaction. Without it such a pooler is refused at the start. Not needed for a pooler in session mode.',
    parse: postgresUrl,
  },
  databasePoolMax: {
    name: 'DATABASE_POOL_MAX',
    fallback: '20',
    about:
      'Maximum database connections per process for its work; each replica is a process. Add one for notifications and two for `/readyz`.',
    parse: integer(3, 500),
  },
  deploymentSecrets: {
    name: 'DEPLOYMENT_SECRET',
    secret: true,
    about:
      'Protects stored API keys and webhook secrets. A list during rotation, newest first. Required in live mode and with `DATABASE_URL`; otherwise generated into the state folder.',
    parse: secrets(32),
  },
  adminSecret: {
    name: 'ADMIN_SECRET',
    secret: true,
    about:
      'Credential of the operator operations. Required in live mode and with `DATABASE_URL`; otherwise generated into the state folder.',
    parse: (value: string) => (value.length >= 24 ? value : new Problem('must have at least 24 characters')),
  },
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    about:
      'URL of the OpenID Connect issuer where your own staff signs in to the console, such as `https://login.example.com`. Set it together with `OIDC_CLIENT_ID` and `OIDC_ROLES`. Each business has its own issuer: see `PUT /v0/customers/:customerId/sign-in`.',
    parse: issuerUrl,
  },
  oidcClientId: {
    name: 'OIDC_CLIENT_ID',
    about:
      'Client ID of this service at `OIDC_ISSUER`. Register `<PUBLIC_URL>/console/sign-in/callback/operator` as the redirect URI, and `<PUBLIC_URL>/console/sign-in/operator/logout` for back-channel logout.',
    parse: text,
  },
  oidcClientSecret: {
    name: 'OIDC_CLIENT_SECRET',
    secret: true,
    about: 'Client secret of this service at `OIDC_ISSUER`. Not set: a public client, with PKCE only.',
    parse: text,
  },
  oidcRoles: {
    name: 'OIDC_ROLES',
    about:
      'Roles of your staff by a claim of the issuer, as JSON: `{"claim":"groups","values":{"platform-admins":"admin","platform-support":"support"}}`. A person without a role cannot sign in. The claim `email` counts only with `email_verified`.',
    parse: roleMapping,
  },
  oidcScope: {
    name: 'OIDC_SCOPE',
    fallback: 'openid profile email',
    about:
      'Scopes that the sign-in requests. Add `offline_access` if the issuer returns a refresh token only with it: without a refresh token, a session ends when its roles are due to be checked.',
    parse: scopeList,
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    secret: true,
    about:
      'Token that `GET /metrics` requires as `Authorization: Bearer`. If the token is not set, anyone who can reach the port can read the metrics: block the path in your proxy.',
    parse: (value: string) => (value.length >= 24 ? value : new Problem('must have at least 24 characters')),
  },
  providerKind: {
    name: 'PROVIDER_KIND',
    fallback: providerSettings.kind,
    about: providerSettings.aboutKind,
    parse: oneOf(...(Object.keys(providers) as (keyof typeof providers)[])),
  },
  providerUrl: {
    name: 'PROVIDER_URL',
    fallback: providerSettings.url,
    about: 'Base URL of the provider, including the version.',
    parse: httpUrl,
  },
  providerApiKey: { name: 'PROVIDER_API_KEY', secret: true, about: 'API key of your provider account.', parse: text },
  providerTimeoutMs: {
    name: 'PROVIDER_TIMEOUT_MS',
    fallback: '10000',
    about: 'Timeout of one call to the provider, in milliseconds.',
    parse: integer(100, 120_000),
  },
  providerCustomerTimeoutMs: {
    name: 'PROVIDER_CUSTOMER_TIMEOUT_MS',
    fallback: '30000',
    about: 'Timeout of the call that creates a customer, in milliseconds: it takes longest because of its images.',
    parse: integer(100, 120_000),
  },
  providerWebhookSignature: {
    name: 'PROVIDER_WEBHOOK_SIGNATURE',
    about:
      '`required` or `optional` signature on incoming provider events. Default: `required` in live mode, `optional` in sandbox mode. A wrong signature is always rejected.',
    parse: oneOf('required', 'optional'),
  },
  providerWebhookPublicKeys: {
    name: 'PROVIDER_WEBHOOK_PUBLIC_KEYS',
    about:
      'PEM public keys of the provider’s webhook endpoints (`\\n` escapes allowed), in addition to those that `causeway provider connect` stored.',
    parse: pemList,
  },
  reconcilePeriodSeconds: {
    name: 'RECONCILE_PERIOD_SECONDS',
    fallback: '300',
    about:
      'How often Causeway checks the provider’s event log for missed events, in seconds; 0: never. 0 also stops the reading of open deposits.',
    parse: integer(0, 86_400),
  },
  tosOrigin: {
    name: 'TOS_ORIGIN',
    about:
      'Origin of the provider’s Terms of Service page, as returned by `GET /v0/capabilities`. Default: the origin of the provider’s links.',
    parse: httpUrl,
  },
  kycEndorsements: {
    name: 'KYC_ENDORSEMENTS',
    fallback: 'base,sepa,MEX:spei,BRA:pix,GBR:faster_payments',
    about:
      'Endorsements that Causeway requests if the first KYC submission of an end-user contains none: `base` opens USD, `sepa` EUR, `spei` MXN. A name with a country (ISO 3166-1 alpha-3) in front applies only to residents of that country.',
    kinds: providerSettings.withEndorsements,
    parse: endorsementList,
  },
  termsReliance: {
    name: 'TERMS_RELIANCE',
    fallback: 'off',
    about:
      '`on` lets businesses declare that an end-user has accepted the provider’s terms in their own flow: `developer_accepted_tos` of kyc-links, `has_accepted_terms_of_service` of submit-kyc. Only for a developer account for which the provider has approved Terms of Service reliance.',
    parse: oneOf('off', 'on'),
  },
  developerFeePercentMax: {
    name: 'DEVELOPER_FEE_PERCENT_MAX',
    about: 'Highest `developer_fee_percent` a business may set.',
    parse: percent,
  },
  rails: {
    name: 'RAILS',
    fallback: '{}',
    about:
      'Additional currencies, deposit rails, blockchains and tokens that the provider supports; added to the list of `GET /v0/capabilities`. JSON: `{"fiat":{"mxn":{"depositRails":[…],"endorsements":[…],"minimumAmount":"50"}},"chains":{"<rail>":{"addressFamily":"evm|solana|stellar|tron|xdc","memo":false,"currencies":["usdc"]}}}`.',
    parse: railTable,
  },
  destinationChangeDelayMinutes: {
    name: 'DESTINATION_CHANGE_DELAY_MINUTES',
    fallback: '0',
    about:
      'Delay before a new destination of a virtual account applies, in minutes, so that a stolen API key is noticed first; 0: no delay.',
    parse: integer(0, 43_200),
  },
  rateLimitRequests: {
    name: 'RATE_LIMIT_REQUESTS',
    fallback: '1000',
    about: 'Requests per API key in a window.',
    parse: integer(1, 10_000_000),
  },
  rateLimitWindowSeconds: {
    name: 'RATE_LIMIT_WINDOW_SECONDS',
    fallback: '10',
    about: 'Length of the window, in seconds.',
    parse: integer(1, 3600),
  },
  kycSubmissionsPerMinute: {
    name: 'KYC_SUBMISSIONS_PER_MINUTE',
    fallback: '10',
    about: 'KYC submissions per end-user and minute.',
    parse: integer(1, 10_000),
  },
  redisUrl: {
    name: 'REDIS_URL',
    secret: true,
    about:
      'Redis 6 or newer, for rate limits that all replicas share: `redis://` or, with TLS, `rediss://`; with Sentinels `redis+sentinel://host:26379,host:26379/mymaster` or `rediss+sentinel://`. If not set, each process counts alone, and N replicas allow N times the limits.',
    parse: redisUrl,
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    fallback: 'false',
    about:
      '`true` if every request passes through one proxy that appends to `X-Forwarded-For`: the last address is the caller’s. For several proxies in a row, their addresses and networks, separated by commas (`loopback`, `linklocal` and `uniquelocal` name well-known ones).',
    parse: proxyList,
  },
  webhookSignatureSchemes: {
    name: 'WEBHOOK_SIGNATURE_SCHEMES',
    fallback: 'v1',
    about:
      'Signatures of deliveries: `v1` (a secret per endpoint), or `v1,v1a` to add a signature that anyone can verify with the keys of `/.well-known/jwks.json`.',
    parse: oneOf('v1', 'v1,v1a'),
  },
  webhookTimeoutMs: {
    name: 'WEBHOOK_TIMEOUT_MS',
    fallback: '15000',
    about: 'Timeout of one delivery attempt, in milliseconds.',
    parse: integer(100, 60_000),
  },
  webhookConcurrency: {
    name: 'WEBHOOK_CONCURRENCY',
    fallback: '32',
    about:
      'Maximum deliveries in flight to one endpoint. The number increases while the receiver responds successfully, and decreases when attempts fail. A business has at most 128 in flight in total, or this number if it is higher.',
    parse: integer(1, 256),
  },
  webhookRetrySeconds: {
    name: 'WEBHOOK_RETRY_SECONDS',
    fallback: '5,300,1800,7200,18000,36000,50400,72000,86400',
    about: 'Delays between delivery attempts, in seconds; each varies by ±20%.',
    parse: numberList,
  },
  eventRetentionDays: {
    name: 'EVENT_RETENTION_DAYS',
    fallback: '30',
    about:
      'Retention of events, deliveries and attempts, in days; they are deleted in whole weeks. An event with a queued delivery is kept until the delivery ends.',
    parse: integer(1, 3_650),
  },
  oidcRecheckMinutes: {
    name: 'OIDC_RECHECK_MINUTES',
    fallback: '15',
    about:
      'Time within which a role that changes at the OpenID Connect issuer takes effect in the console, in minutes. A session that the issuer has not confirmed for this long ends.',
    parse: integer(1, 1_440),
  },
  oidcFreshSignInMinutes: {
    name: 'OIDC_FRESH_SIGN_IN_MINUTES',
    about:
      'How recently staff must have signed in at the issuer for a sensitive action in the console, in minutes; 0: any time. Sensitive: credentials, payout destinations, deletions and replays. Default: `10` in live mode, `0` in sandbox mode.',
    parse: integer(0, 1_440),
  },
  smtpUrl: {
    name: 'SMTP_URL',
    secret: true,
    about:
      'Mail server for alerts by email: `smtps://user:password@host:465`, or `smtp://user:password@host:587`, which requires STARTTLS. Without TLS only for a loopback host in sandbox mode. Percent-encode special characters in the user and password.',
    parse: smtpUrl,
  },
  alertEmailFrom: {
    name: 'ALERT_EMAIL_FROM',
    about: 'Sender of alerts by email, such as `causeway@example.com`. Required for email channels, like `SMTP_URL`.',
    parse: emailAddress,
  },
  shutdownDelayMs: {
    name: 'SHUTDOWN_DELAY_MS',
    fallback: '0',
    about:
      'How long a stopping process continues to serve requests while `/readyz` returns 503, in milliseconds. Set it longer than your load balancer needs to notice; 0 if nothing checks `/readyz`.',
    parse: integer(0, 120_000),
  },
  shutdownGraceMs: {
    name: 'SHUTDOWN_GRACE_MS',
    fallback: '10000',
    about: 'Time for requests and deliveries in progress to finish when the process stops, in milliseconds.',
    parse: integer(0, 120_000),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    fallback: 'info',
    about: 'Minimum log level.',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
} as const satisfies { [K in keyof Values]: SettingOf<Values[K]> }

/** Secrets from the state folder of a local deployment. Used where the environment sets none. */
export type LocalSecrets = { deploymentSecret: string; adminSecret: string }

/**
 * Parses the environment.
 * @param env usually `process.env`; empty strings count as not set
 * @param local secrets of the state folder; used only in sandbox mode without `DATABASE_URL`
 * @throws ConfigError with every problem, never naming a value
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>, local?: LocalSecrets): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries<Setting<unknown>>(settings)) {
    const given = env[setting.name]?.trim()
    const source = given === undefined || given === '' ? setting.fallback : given
    if (source === undefined) continue
    const parsed = setting.parse(source)
    if (parsed instanceof Problem) problems.push(`${setting.name} ${parsed.rule}`)
    else values[key] = parsed
  }
  const parsed = values as Values // each value comes from the parser of its setting
  if (parsed.providerKind !== undefined) problems.push(...foreignProblems(settings, env, providerOf(parsed)))
  const mayGenerate = parsed.mode === 'sandbox' && parsed.databaseUrl === undefined
  const deploymentSecrets = parsed.deploymentSecrets ?? (mayGenerate && local ? [local.deploymentSecret] : undefined)
  const adminSecret = parsed.adminSecret ?? (mayGenerate && local ? local.adminSecret : undefined)
  const malformed = new Set(problems.map((problem) => problem.split(' ')[0]))
  const require = (name: string, value: unknown, why: string) => {
    if (value === undefined && !malformed.has(name)) problems.push(`${name} is not set: ${why}`)
  }
  require('DEPLOYMENT_SECRET', deploymentSecrets, 'it protects stored API keys and webhook secrets')
  require('ADMIN_SECRET', adminSecret, 'it is the credential of the operator operations')
  require('PROVIDER_API_KEY', parsed.providerApiKey, 'it is the API key of your provider account')
  if (parsed.databaseDirectUrl !== undefined && parsed.databaseUrl === undefined && !malformed.has('DATABASE_URL'))
    problems.push('DATABASE_DIRECT_URL is set and DATABASE_URL is not: it is used together with the URL of a pooler')
  problems.push(...signInProblems(parsed, malformed))
  if (parsed.reusePort === 'on') problems.push(...sharedPortProblems(parsed, malformed))
  if (parsed.mode === 'live') problems.push(...liveProblems(parsed, malformed))
  if (problems.length > 0 || !deploymentSecrets || !adminSecret) throw new ConfigError(problems)
  return Object.freeze({
    ...fixedLimits,
    ...parsed,
    deploymentSecrets,
    adminSecret,
    oidcFreshSignInMinutes: parsed.oidcFreshSignInMinutes ?? (parsed.mode === 'live' ? 10 : 0),
    providerWebhookSignature: parsed.providerWebhookSignature ?? (parsed.mode === 'live' ? 'required' : 'optional'),
  })
}

type ForSomeKinds = { name: string; kinds?: readonly string[] }

/** Rejects each setting that is set but belongs to other providers. */
export function foreignProblems(
  table: Readonly<Record<string, ForSomeKinds>>,
  env: Readonly<Record<string, string | undefined>>,
  provider: string,
): string[] {
  return Object.values(table)
    .filter(({ name, kinds }) => kinds && !kinds.includes(provider) && env[name]?.trim())
    .map(
      ({ name, kinds = [] }) =>
        `${name} is set, but is only for the provider ${kinds.join(' or ')}: the provider is ${provider}`,
    )
}

/** Rejects a half-configured sign-in, which would look like a sign-in that is switched off. */
function signInProblems(
  { oidcIssuer, oidcClientId, oidcClientSecret, oidcRoles }: Values,
  malformed: ReadonlySet<string | undefined>,
): string[] {
  const needed = { OIDC_ISSUER: oidcIssuer, OIDC_CLIENT_ID: oidcClientId, OIDC_ROLES: oidcRoles }
  const given = Object.entries({ ...needed, OIDC_CLIENT_SECRET: oidcClientSecret }).filter(
    ([, value]) => value !== undefined,
  )
  const [first] = given[0] ?? []
  if (first === undefined) return []
  return Object.entries(needed)
    .filter(([name, value]) => value === undefined && !malformed.has(name))
    .map(([name]) => `${name} is not set, but ${first} is: the sign-in of your staff needs both`)
}

function sharedPortProblems({ databaseUrl }: Values, malformed: ReadonlySet<string | undefined>): string[] {
  const problems: string[] = []
  if (process.platform !== 'linux' && process.platform !== 'freebsd')
    problems.push('REUSE_PORT is on, but this system cannot share a port: give each process a different PORT')
  if (databaseUrl === undefined && !malformed.has('DATABASE_URL'))
    problems.push('REUSE_PORT is on and DATABASE_URL is not set: the processes need a shared database')
  return problems
}

/**
 * Finds settings that would put money or identity documents at risk. Only the first of a list of secrets is checked:
 * the others are being rotated out.
 */
function liveProblems(parsed: Values, malformed: ReadonlySet<string | undefined>): string[] {
  const { providerKind, providerUrl, publicUrl, deploymentSecrets, adminSecret } = parsed
  const problems: string[] = []
  if (providerKind === 'sandbox') problems.push('PROVIDER_KIND must not be sandbox in live mode')
  if (publicUrl === undefined && !malformed.has('PUBLIC_URL'))
    problems.push('PUBLIC_URL is not set: live mode needs the public https URL of this service')
  if (!malformed.has('PROVIDER_URL') && providerUrl.startsWith('http:') && !isLoopback(new URL(providerUrl).hostname))
    problems.push('PROVIDER_URL must be https in live mode: identity data and the provider API key are sent to it')
  for (const [name, secret] of [
    ['DEPLOYMENT_SECRET', deploymentSecrets?.[0]],
    ['ADMIN_SECRET', adminSecret],
  ] as const)
    if (secret !== undefined && isGuessable(secret))
      problems.push(
        `${name} can be guessed: live mode needs a random value, such as the output of openssl rand -base64 32`,
      )
  return problems
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host)
}

/** The process environment, which the command line passes to `parseConfig`. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
