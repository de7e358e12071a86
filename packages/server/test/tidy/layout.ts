// The project's layout as tables: which floor may import which, where a package may be used, and the few places that may
// ask the machine for time, chance or the network. A new exception is a line here, with its reason.

/** A path that is `prefix` itself or lies below it. */
export function isUnder(path: string, prefix: string): boolean {
  return path === prefix || (prefix.endsWith('/') && path.startsWith(prefix))
}

/** What ships, and what proves it: neither a test nor a script. */
export function isSource(path: string): boolean {
  return /^packages\/\w+\/src\//.test(path) && !path.endsWith('.test.ts')
}

const server = 'packages/server/src/'
const sandbox = 'packages/sandbox/src/'
const proof = 'packages/proof/src/'

/** The first that matches is a file's floor. */
export const floors = [
  ['main', `${server}main.ts`],
  ['cli', `${server}cli/`],
  ['http', `${server}http/`],
  ['relay', `${server}relay/`],
  ['services', `${server}services/`],
  ['port', `${server}provider/port.ts`],
  ['provider', `${server}provider/`],
  ['store', `${server}store/`],
  ['domain', `${server}domain/`],
  ['observe', `${server}observe/`],
  ['errors', `${server}errors.ts`],
  ['outbound', `${server}outbound.ts`],
  ['config', `${server}config.ts`],
  ['version', `${server}version.ts`],
  ['sandbox', sandbox],
  ['tracing', 'packages/tracing/src/'],
  ['proof', proof],
  ['fixtures', 'packages/server/test/'],
] as const satisfies readonly (readonly [string, string])[]

export type Floor = (typeof floors)[number][0]

const base = ['domain', 'observe', 'errors', 'config', 'version'] as const

/** Each floor sees itself, and these. */
export const arrows: Readonly<Record<Floor, readonly Floor[]>> = {
  main: ['http', 'relay', 'services', 'port', 'provider', 'store', 'outbound', ...base],
  cli: ['main', 'http', 'relay', 'services', 'port', 'provider', 'store', 'outbound', ...base],
  http: ['services', ...base],
  relay: ['services', 'store', 'outbound', ...base],
  services: ['port', 'store', ...base],
  provider: ['port', 'outbound', 'domain', 'observe', 'errors', 'version'],
  port: ['domain'],
  store: ['domain', 'observe', 'errors'],
  domain: ['errors'],
  observe: ['errors', 'version'],
  outbound: [],
  errors: [],
  config: ['domain'],
  version: [],
  sandbox: [],
  // Hears what the server publishes, and shares no code with it.
  tracing: [],
  // Looks at the product from outside, and at its parts by the same fixtures as the tests. Nothing may lean on it.
  proof: ['main', 'cli', 'http', 'relay', 'services', 'port', 'provider', 'store', 'fixtures', ...base],
  fixtures: [],
}

/** Where each runtime dependency may be imported; a package that is not here may not be imported at all. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  '@fastify/busboy': [`${server}http/multipart-body.ts`],
  '@noble/hashes': [`${server}domain/`],
  '@redis/client': [`${server}http/redis.ts`],
  'big.js': [`${server}domain/money.ts`],
  fastify: [`${server}http/`, `${server}observe/log.ts`, sandbox],
  'ipaddr.js': [`${server}domain/network-address.ts`, `${server}http/rate-limit.ts`],
  pg: [`${server}store/business-scope.ts`, `${server}store/client.ts`, `${server}store/session.ts`],
  pino: [`${server}observe/log.ts`],
  'prom-client': [`${server}observe/metrics.ts`],
  'rate-limiter-flexible': [`${server}http/rate-limit.ts`, `${server}http/shared-rate-limit.ts`],
  undici: [`${server}outbound.ts`],
}

/** Where a package may be imported for its types alone, which is nothing at run time. */
export const typePackageHomes: Readonly<Record<string, readonly string[]>> = {
  typebox: [`${server}http/`],
  undici: [`${server}provider/`, `${server}relay/`],
}

/** What the packages beside the product use: yardsticks of the proofs and parts of ours they build on; the language of traces. */
export const proofPackageHomes: Readonly<Record<string, readonly string[]>> = {
  '@opentelemetry/api': ['packages/tracing/src/'],
  acorn: [`${proof}crash-points/instrument.ts`],
  ajv: [`${proof}fuzz-api/described.ts`],
  'ajv-formats': [`${proof}fuzz-api/described.ts`],
  'fast-check': [`${proof}fuzz-api/`],
  'graphile-worker': [`${proof}bench/jobs-process.ts`],
  standardwebhooks: [`${proof}chaos/evidence.ts`],
  undici: [`${proof}bench/relay-process.ts`],
}

export type Exception = readonly [path: string, because: string]

const compositionRoots: readonly Exception[] = [
  [`${server}main.ts`, 'the composition root hands them to everything else'],
  [`${server}cli/`, 'the command line composes the local world'],
]

/** Who may ask for the time of day, for chance, for new ids. Durations by `performance.now` are free. */
export const ambientHomes: readonly Exception[] = [
  ...compositionRoots,
  [`${server}observe/log.ts`, 'a line carries the time at which it is written'],
  [`${server}services/secret-box.ts`, 'a nonce must never repeat, whatever source a test puts in'],
  [`${server}services/random-bytes.ts`, 'it is what is injected'],
  [`${server}store/embedded/binaries.ts`, 'compares the ages of files with the clock that stamped them'],
  [`${server}store/embedded/cluster.ts`, 'draws the password of a database before anything is composed'],
  [`${server}store/embedded/place.ts`, 'names a temporary file, so that a planted link is never written through'],
  [`${sandbox}app/sandbox.ts`, 'the composition root of the emulator'],
  [`${sandbox}platform/ids.ts`, 'the one place where the emulator draws ids; nothing depends on which'],
  [`${sandbox}customers/sessions.ts`, 'draws the secret part of a link'],
  [`${sandbox}state/state.ts`, 'draws the secret of a new state'],
  [proof, 'measures and attacks by clocks and seeds of its own'],
  [`${sandbox}customers/form/person-form.ts`, 'a form rule compares an age with today, to the day'],
]

export const networkHomes: readonly Exception[] = [
  [`${server}provider/`, 'the provider client'],
  [`${server}relay/`, 'the sender of webhooks'],
  [`${server}cli/`, 'the local world and the demo are callers from outside'],
  [`${sandbox}webhooks/delivery.ts`, 'where the emulator sends its webhooks'],
  [proof, 'a caller from outside'],
]

/** Entry points: what Node, a browser or a person starts. Everything else must be reachable from one of them. */
export const entryPoints: readonly string[] = [
  'examples/main.ts',
  `${server}cli/main.ts`,
  `${sandbox}main.ts`,
  `${proof}bench/main.ts`,
  `${proof}fuzz-urls/main.ts`,
  `${proof}fuzz-api/main.ts`,
  `${proof}fuzz-api/world-process.ts`,
  `${proof}chaos/main.ts`,
  `${proof}chaos/receivers.ts`,
  `${proof}chaos-relay/main.ts`,
  `${proof}chaos-relay/receivers.ts`,
  `${proof}crash-points/main.ts`,
  `${proof}crash-points/hook.ts`,
  `${proof}crash-points/victim.ts`,
  `${proof}hostile/main.ts`,
  `${proof}abuse/main.ts`,
  `${proof}rolling-restart/main.ts`,
  `${proof}cost-per-event/main.ts`,
  `${proof}abuse/attacker.ts`,
  `${proof}abuse/receivers.ts`,
  `${proof}hostile/healthy-receiver.ts`,
  `${proof}hostile/hostile-receivers.ts`,
  `${proof}planted-bugs/main.ts`,
  'scripts/generate.ts',
  'packages/tracing/src/register.ts',
]

export const linesMax = 250
export const functionLinesMax = 60
