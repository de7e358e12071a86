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
} from './config.ts'
import { readRedisAddress, redisAddressRule } from './http/limits/redis-address.ts'
import { readAddresses } from './postgres/connecting/addresses.ts'
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
  /** Text as it would stand in the environment; `undefined` means "not set". */
  fallback?: string
  secret?: true
  /** The providers that the setting is for; left out: every provider. */
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
  if (!URL.canParse(value)) return new Problem('must be an absolute http or https address')
  const url = new URL(value)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return new Problem('must be an absolute http or https address')
  if (!isWellFormedHost(url.hostname)) return new Problem('must name a valid host')
  if (url.username || url.password) return new Problem('must not carry a user name or password')
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

/** `base,sepa,MEX:spei`: a name behind a country is asked for only where somebody lives there. */
const endorsementList: Parse<DefaultEndorsement[]> = (value) => {
  const list = value.split(',').map((part) => /^(?:([A-Z]{3}):)?([a-z][a-z0-9_]{0,31})$/.exec(part.trim()))
  const read = list.map((part) => part && { name: part[2] ?? '', country: part[1] ?? null })
  return read.every((entry) => entry !== null)
    ? read
    : new Problem('must be names separated by commas, each alone or behind a country and a colon: `MEX:spei`')
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

/** What `parseConfig` fills in. */
type Filled = 'deploymentSecrets' | 'adminSecret' | 'providerWebhookSignature'
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
      'Address under which callers reach this service, used in links. Required in live mode; otherwise the address it listens on, and where that is `0.0.0.0` or `::` links are relative.',
    parse: httpUrl,
  },
  consoleFrameAncestors: {
    name: 'CONSOLE_FRAME_ANCESTORS',
    fallback: '',
    about:
      'Origins, separated by commas, whose pages may show the console in a frame. A browser gives the console its session there only where both are of one site, such as `https://app.example.com` and `https://causeway.example.com`. Otherwise nobody may.',
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
      '`on` lets several processes of this machine listen on the same `PORT`: the kernel distributes their connections. Needs `DATABASE_URL`, and a system that does so (Linux, FreeBSD). Each process counts limits by itself unless there is a `REDIS_URL`.',
    parse: oneOf('off', 'on'),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    secret: true,
    about:
      'PostgreSQL 15 or newer; a login that owns its database and has `CREATEROLE`, or has been given the role `causeway_business`. Several hosts as libpq writes them: `postgresql://user:password@a:5432,b:5432/db?target_session_attrs=read-write`. Not set: an embedded PostgreSQL is started.',
    parse: postgresUrl,
  },
  databaseDirectUrl: {
    name: 'DATABASE_DIRECT_URL',
    secret: true,
    about:
      'Address of PostgreSQL itself, where `DATABASE_URL` leads to a pooler in transaction mode: to listen for notifications, which no such pooler passes on, and for migrations. Statements are then not prepared, and every setting goes with its transaction. Without it such a pooler is refused at the start. Not needed for a pooler in session mode.',
    parse: postgresUrl,
  },
  databasePoolMax: {
    name: 'DATABASE_POOL_MAX',
    fallback: '20',
    about:
      'Most connections one process opens to the database for its work; each replica is a process. One that listens for notifications and two of `/readyz` come on top.',
    parse: integer(3, 500),
  },
  deploymentSecrets: {
    name: 'DEPLOYMENT_SECRET',
    secret: true,
    about:
      'Keys everything we store about API keys and webhook secrets. A list during rotation, newest first. Required in live mode and with `DATABASE_URL`; otherwise generated into the state folder.',
    parse: secrets(32),
  },
  adminSecret: {
    name: 'ADMIN_SECRET',
    secret: true,
    about:
      'Credential of the operator operations. Required in live mode and with `DATABASE_URL`; otherwise generated into the state folder.',
    parse: (value: string) => (value.length >= 24 ? value : new Problem('must have at least 24 characters')),
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    secret: true,
    about:
      'Token that `GET /metrics` requires as `Authorization: Bearer`. If it is not set, anybody who reaches the port can read the metrics: block the path in your proxy.',
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
    about: 'Base address of the provider, version included.',
    parse: httpUrl,
  },
  providerApiKey: { name: 'PROVIDER_API_KEY', secret: true, about: 'Our key at the provider.', parse: text },
  providerTimeoutMs: {
    name: 'PROVIDER_TIMEOUT_MS',
    fallback: '10000',
    about: 'Deadline of one call to the provider, in milliseconds.',
    parse: integer(100, 120_000),
  },
  providerCustomerTimeoutMs: {
    name: 'PROVIDER_CUSTOMER_TIMEOUT_MS',
    fallback: '30000',
    about:
      'Deadline of the one call that creates a customer, in milliseconds: with images it takes the provider longest.',
    parse: integer(100, 120_000),
  },
  providerWebhookSignature: {
    name: 'PROVIDER_WEBHOOK_SIGNATURE',
    about:
      '`required` or `optional` signature on incoming provider events. Default: `required` in live mode, `optional` in sandbox mode. A wrong signature is always refused.',
    parse: oneOf('required', 'optional'),
  },
  providerWebhookPublicKeys: {
    name: 'PROVIDER_WEBHOOK_PUBLIC_KEYS',
    about:
      'PEM public keys of the provider’s webhook endpoints (`\\n` escapes allowed), beside those that `causeway provider connect` stored.',
    parse: pemList,
  },
  reconcilePeriodSeconds: {
    name: 'RECONCILE_PERIOD_SECONDS',
    fallback: '300',
    about:
      'How often the provider’s own record of events is looked through for events that never reached us, in seconds; 0 never. 0 also stops the reading of open deposits.',
    parse: integer(0, 86_400),
  },
  tosOrigin: {
    name: 'TOS_ORIGIN',
    about:
      'Origin of the provider’s Terms of Service page, told to callers by `GET /v0/capabilities`. Default: the origin of the provider’s links.',
    parse: httpUrl,
  },
  kycEndorsements: {
    name: 'KYC_ENDORSEMENTS',
    fallback: 'base,sepa,MEX:spei,BRA:pix,GBR:faster_payments',
    about:
      'Endorsements asked for when the first KYC submission of an end-user names none: `base` opens USD, `sepa` EUR, `spei` MXN. A name behind a country (ISO 3166-1 alpha-3) is asked for only of those who live there.',
    kinds: providerSettings.withEndorsements,
    parse: endorsementList,
  },
  termsReliance: {
    name: 'TERMS_RELIANCE',
    fallback: 'off',
    about:
      '`on` lets businesses state that an end-user has accepted the provider’s terms by their own means: `developer_accepted_tos` of kyc-links, `has_accepted_terms_of_service` of submit-kyc. Only for a developer account for which the provider has approved Terms of Service reliance.',
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
      'Currencies, deposit rails, blockchains and tokens that the provider has come to support, added to those that `GET /v0/capabilities` lists. JSON: `{"fiat":{"mxn":{"depositRails":[…],"endorsements":[…],"minimumAmount":"50"}},"chains":{"<rail>":{"addressFamily":"evm|solana|stellar|tron|xdc","memo":false,"currencies":["usdc"]}}}`.',
    parse: railTable,
  },
  destinationChangeDelayMinutes: {
    name: 'DESTINATION_CHANGE_DELAY_MINUTES',
    fallback: '0',
    about:
      'How long a new destination of a virtual account waits before it counts, so that a stolen API key is noticed first, in minutes; 0 does not wait.',
    parse: integer(0, 43_200),
  },
  rateLimitRequests: {
    name: 'RATE_LIMIT_REQUESTS',
    fallback: '1000',
    about: 'Requests an API key may make in a window.',
    parse: integer(1, 10_000_000),
  },
  rateLimitWindowSeconds: {
    name: 'RATE_LIMIT_WINDOW_SECONDS',
    fallback: '10',
    about: 'Length of that window, in seconds.',
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
      'Redis 6 or newer in which all replicas count their callers together: `redis://` or, with TLS, `rediss://`; behind Sentinels `redis+sentinel://host:26379,host:26379/mymaster` or `rediss+sentinel://`. Not set: each process counts by itself, and N replicas allow N times the limits.',
    parse: redisUrl,
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    fallback: 'false',
    about:
      '`true` when every request comes through one proxy of yours that appends to `X-Forwarded-For`: its last address is the caller’s. With several proxies in a row, their addresses and networks, separated by commas (`loopback`, `linklocal` and `uniquelocal` name well-known ones).',
    parse: proxyList,
  },
  webhookSignatureSchemes: {
    name: 'WEBHOOK_SIGNATURE_SCHEMES',
    fallback: 'v1',
    about:
      'Signatures of deliveries: `v1` (a secret per endpoint), or `v1,v1a` for one beside it that anyone checks with the keys of `/.well-known/jwks.json`.',
    parse: oneOf('v1', 'v1,v1a'),
  },
  webhookTimeoutMs: {
    name: 'WEBHOOK_TIMEOUT_MS',
    fallback: '15000',
    about: 'Wall clock of one delivery attempt, in milliseconds.',
    parse: integer(100, 60_000),
  },
  webhookConcurrency: {
    name: 'WEBHOOK_CONCURRENCY',
    fallback: '32',
    about:
      'Deliveries in flight to one endpoint at most. A receiver that answers well is brought there step by step, one that fails gets fewer. A business has 128 in flight in all, or this number where it is higher.',
    parse: integer(1, 256),
  },
  webhookRetrySeconds: {
    name: 'WEBHOOK_RETRY_SECONDS',
    fallback: '5,300,1800,7200,18000,36000,50400,72000,86400',
    about: 'Waits between delivery attempts, in seconds; each is spread by ±20 %.',
    parse: numberList,
  },
  eventRetentionDays: {
    name: 'EVENT_RETENTION_DAYS',
    fallback: '30',
    about:
      'How long events, their deliveries and attempts are kept, in days; they go by whole weeks. An event for which something still waits is kept until that is over.',
    parse: integer(1, 3_650),
  },
  shutdownDelayMs: {
    name: 'SHUTDOWN_DELAY_MS',
    fallback: '0',
    about:
      'How long a process that is told to stop goes on answering while `/readyz` says 503, in milliseconds: longer than a load balancer takes to notice. 0 where nothing looks at `/readyz`.',
    parse: integer(0, 120_000),
  },
  shutdownGraceMs: {
    name: 'SHUTDOWN_GRACE_MS',
    fallback: '10000',
    about: 'Time that running requests and deliveries get when the process is told to stop, in milliseconds.',
    parse: integer(0, 120_000),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    fallback: 'info',
    about: 'Least level that is logged.',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
} as const satisfies { [K in keyof Values]: SettingOf<Values[K]> }

/** What may stand in for secrets that the environment does not set: those kept in the state folder of a local deployment. */
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
  const parsed = values as Values // each value came out of its own setting's parser
  if (parsed.providerKind !== undefined) problems.push(...foreignProblems(settings, env, providerOf(parsed)))
  const mayGenerate = parsed.mode === 'sandbox' && parsed.databaseUrl === undefined
  const deploymentSecrets = parsed.deploymentSecrets ?? (mayGenerate && local ? [local.deploymentSecret] : undefined)
  const adminSecret = parsed.adminSecret ?? (mayGenerate && local ? local.adminSecret : undefined)
  const malformed = new Set(problems.map((problem) => problem.split(' ')[0]))
  const require = (name: string, value: unknown, why: string) => {
    if (value === undefined && !malformed.has(name)) problems.push(`${name} is not set: ${why}`)
  }
  require('DEPLOYMENT_SECRET', deploymentSecrets, 'it keys what is stored about API keys and webhook secrets')
  require('ADMIN_SECRET', adminSecret, 'it is the credential of the operator operations')
  require('PROVIDER_API_KEY', parsed.providerApiKey, 'it is our key at the provider')
  if (parsed.databaseDirectUrl !== undefined && parsed.databaseUrl === undefined && !malformed.has('DATABASE_URL'))
    problems.push('DATABASE_DIRECT_URL is set and DATABASE_URL is not: it stands beside the address of a pooler')
  if (parsed.reusePort === 'on') problems.push(...sharedPortProblems(parsed, malformed))
  if (parsed.mode === 'live') problems.push(...liveProblems(parsed, malformed))
  if (problems.length > 0 || !deploymentSecrets || !adminSecret) throw new ConfigError(problems)
  return Object.freeze({
    ...fixedLimits,
    ...parsed,
    deploymentSecrets,
    adminSecret,
    providerWebhookSignature: parsed.providerWebhookSignature ?? (parsed.mode === 'live' ? 'required' : 'optional'),
  })
}

type ForSomeKinds = { name: string; kinds?: readonly string[] }

/** Refuses each setting that is set and is for other providers than this one. */
export function foreignProblems(
  table: Readonly<Record<string, ForSomeKinds>>,
  env: Readonly<Record<string, string | undefined>>,
  provider: string,
): string[] {
  return Object.values(table)
    .filter(({ name, kinds }) => kinds && !kinds.includes(provider) && env[name]?.trim())
    .map(
      ({ name, kinds = [] }) =>
        `${name} is set and is only for the provider ${kinds.join(' or ')}: this one is ${provider}`,
    )
}

function sharedPortProblems({ databaseUrl }: Values, malformed: ReadonlySet<string | undefined>): string[] {
  const problems: string[] = []
  if (process.platform !== 'linux' && process.platform !== 'freebsd')
    problems.push('REUSE_PORT is on and this system does not share a port: give each process a PORT of its own')
  if (databaseUrl === undefined && !malformed.has('DATABASE_URL'))
    problems.push('REUSE_PORT is on and DATABASE_URL is not set: the processes need a database that all of them reach')
  return problems
}

/** What would put people's money or papers at risk. Of a list of secrets the first counts: the others are on their way out. */
function liveProblems(parsed: Values, malformed: ReadonlySet<string | undefined>): string[] {
  const { providerKind, providerUrl, publicUrl, deploymentSecrets, adminSecret } = parsed
  const problems: string[] = []
  if (providerKind === 'sandbox') problems.push('PROVIDER_KIND must not be sandbox in live mode')
  if (publicUrl === undefined && !malformed.has('PUBLIC_URL'))
    problems.push('PUBLIC_URL is not set: live mode needs the https address under which callers reach this service')
  if (!malformed.has('PROVIDER_URL') && providerUrl.startsWith('http:') && !isLoopback(new URL(providerUrl).hostname))
    problems.push('PROVIDER_URL must be https in live mode: people’s data and our key at the provider travel over it')
  for (const [name, secret] of [
    ['DEPLOYMENT_SECRET', deploymentSecrets?.[0]],
    ['ADMIN_SECRET', adminSecret],
  ] as const)
    if (secret !== undefined && isGuessable(secret))
      problems.push(`${name} can be guessed: live mode needs a random one, such as openssl rand -base64 32 makes`)
  return problems
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host)
}

/** The process environment, for the command line to hand to `parseConfig`. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
