// The project's layout as tables: which house may import which, where a package may be used, and the few places that may
// ask the machine for time, chance or the network. A new exception is a line here, with its reason.

/** Returns whether a path is `prefix` itself or below it. */
export function isUnder(path: string, prefix: string): boolean {
  return path === prefix || (prefix.endsWith('/') && path.startsWith(prefix))
}

/** Shipped code, and its failure tests: neither a unit test nor a script. */
export function isSource(path: string): boolean {
  return /^packages\/[\w-]+\/src\//.test(path) && !path.endsWith('.test.ts')
}

export const server = 'packages/server/src/'
const sandbox = 'packages/sandbox/src/'
const consolePages = 'packages/console/src/'
const onboardingPage = 'packages/onboarding/src/'
const proof = 'packages/proof/src/'

/** The packages, and which others each may import. The emulator shares no code with the server, in either direction. */
export const packageArrows = {
  server: ['embedded-postgres', 'forms'],
  cli: ['server', 'embedded-postgres', 'sdk'],
  'embedded-postgres': [],
  // Readers and tables without I/O, for the API and the page alike.
  forms: [],
  sandbox: [],
  // Packages that integrators install: they use the public API only.
  sdk: [],
  // Pages that call the public API as any caller does.
  console: ['sdk'],
  // The page of an end-user: the types of the SDK alone, whose client needs an API key, and the readers of what is typed.
  onboarding: ['sdk', 'forms'],
  // Hears what the server publishes, and shares no code with it.
  tracing: [],
  // Looks at the product from outside, and at its parts by the same fixtures as the tests. Nothing may lean on it.
  proof: ['server', 'cli', 'embedded-postgres', 'fixtures'],
  fixtures: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PackageName = keyof typeof packageArrows

/** The fixtures of the tests, which proofs use as well. */
export const fixtureHomes: readonly string[] = ['packages/server/test/', 'packages/cli/test/']

/** Below `packages/server/src`, from the top down: the program, what it starts, and the room that knows everybody. */
export const wiring: readonly string[] = ['process/', 'main.ts', 'app/']

/**
 * Files below `packages/server/src`, in addition to the operator's operations, that may use `ServerCore` with the whole
 * database.
 */
export const wholeDatabaseHomes: readonly RegExp[] = [
  /^(app|platform)\/|^main\.ts$/,
  // Loops work for all businesses.
  /(^|\/)jobs\.ts$/,
  /^webhooks\/delivery\/|^reconcile\//,
  // Alerts watch all businesses, in rounds.
  /^alerts\/ports\.ts$/,
  // A page proves itself before its business is known, and links of all businesses expire in one loop.
  /^onboarding\/(ports|sessions|site|links)\.ts$/,
]

/** Knows no subject. */
export const platform = 'platform/'

/** The role of a file in its subject, by the end of its name. Imports go down, never back. */
export const roles = [
  // Operations of the API: those of `provider/operations/` are writes at the provider.
  ['routes', /(^|[/.])(routes|jobs)\.ts$|^(?!provider\/operations\/).*\boperations\.ts$/, 3],
  ['store', /(^|[/.])store\.ts$/, 1],
  // Parts of statements, in which other subjects' statements may say the same thing.
  ['sql', /\.sql\.ts$/, 0],
  ['rules', /\.rules\.ts$/, 0],
  ['service', /\.ts$/, 2],
] as const satisfies readonly (readonly [string, RegExp, number])[]

const sandboxRoomsWith = (branch: string, rooms: readonly string[]): readonly string[] => [
  ...['platform/', 'state/', 'pages/', 'inbox/', 'app/'],
  ...rooms.map((room) => `${branch}/${room}/`),
  ...['app/sandbox.ts', 'main.ts'],
]

/**
 * The rooms of the emulator for each provider: the common ones, those of the provider's branch, and the composition. Each
 * imports those before it, so no common room imports a branch, and no branch another. Inside a branch the types of a `rows.ts`
 * are free, because the state names them.
 */
export const sandboxRooms: Readonly<Record<string, readonly string[]>> = {
  bridge: sandboxRoomsWith('bridge', [
    ...['forms', 'lists', 'state', 'webhooks', 'customers', 'virtual-accounts', 'deposits', 'rfis'],
    ...['pages', 'app'],
  ]),
}

/** Where each runtime dependency may be imported; a package that is not here may not be imported at all. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  '@fastify/ajv-compiler': [`${server}platform/http/schema/compilers.ts`],
  '@fastify/busboy': [`${server}platform/http/body/multipart-body.ts`],
  '@fastify/fast-json-stringify-compiler': [`${server}platform/http/schema/compilers.ts`],
  '@fastify/proxy-addr': [`${server}platform/http/limits/connections.ts`],
  '@fastify/send': [`${server}platform/http/pages/built-site.ts`],
  '@noble/hashes': [`${server}virtual-accounts/`],
  '@scure/base': [`${server}virtual-accounts/`],
  ioredis: [`${server}platform/http/limits/redis.ts`],
  'any-ascii': ['packages/forms/src/names.ts'],
  ajv: [`${server}end-users/kyc/form/form.rules.ts`, `${server}platform/values/rails.ts`],
  'big.js': [`${server}platform/values/money.ts`],
  cookie: [`${server}console/browser.ts`],
  'csv-stringify': [`${server}platform/http/csv.ts`],
  culori: [`${server}onboarding/branding.rules.ts`, 'packages/console/src/features/branding/contrast.ts'],
  'fastest-levenshtein': [`${server}platform/values/did-you-mean.ts`],
  fastify: [server, sandbox],
  ibantools: [`${server}virtual-accounts/bank-details.rules.ts`],
  'ipaddr.js': [`${server}platform/values/network-address.ts`, `${server}platform/http/limits/rate-limit.ts`],
  jose: [`${server}sign-in/protocol/`],
  'libphonenumber-js': ['packages/forms/src/phone.ts'],
  'lru-cache': [
    `${server}businesses/api-key-cache.ts`,
    `${server}platform/guarded-http/sender.ts`,
    `${server}sign-in/`,
  ],
  nodemailer: [`${server}alerts/messages/mail.ts`],
  'openid-client': [`${server}sign-in/protocol/`],
  pg: [`${server}platform/postgres/`, 'packages/embedded-postgres/src/session.ts'],
  pino: [`${server}platform/observe/log.ts`],
  'prom-client': [`${server}platform/observe/`],
  'rate-limiter-flexible': [`${server}platform/http/limits/`],
  typebox: [server],
  undici: [`${server}provider/`, `${server}platform/guarded-http/`],
}

/**
 * Dependencies of the packages outside the product: benchmarks of the failure tests, parts of Causeway that they use,
 * and the language of traces.
 */
export const proofPackageHomes: Readonly<Record<string, readonly string[]>> = {
  '@opentelemetry/api': ['packages/tracing/src/'],
  '@clack/prompts': ['packages/cli/src/output/prompt.ts'],
  '@modelcontextprotocol/server': ['packages/cli/src/mcp/serve.ts'],
  commander: ['packages/cli/src/program.ts'],
  yaml: ['packages/cli/src/fixtures/plan.ts'],
  '@causeway/sdk': [consolePages, onboardingPage],
  '@tanstack/react-query': [consolePages],
  '@tanstack/react-router': [consolePages],
  '@visx/axis': [consolePages],
  '@visx/scale': [consolePages],
  '@visx/shape': [consolePages],
  'class-variance-authority': [`${consolePages}components/ui/`],
  cmdk: [`${consolePages}components/ui/`],
  clsx: [`${consolePages}components/ui/`],
  'lean-qr': [`${onboardingPage}phone/phone-code.ts`],
  'lucide-react': [consolePages],
  'radix-ui': [`${consolePages}components/ui/`],
  react: [consolePages, onboardingPage],
  'react-dom': [`${consolePages}main.tsx`, `${onboardingPage}main.tsx`, `${onboardingPage}layout/progress.tsx`],
  sonner: [`${consolePages}components/toasts.tsx`],
  'tailwind-merge': [`${consolePages}components/ui/`],
  vite: ['scripts/', 'packages/console/vite.config.ts', 'packages/onboarding/vite.config.ts'],
  acorn: [`${proof}crash-points/instrument.ts`, `${proof}planted-bugs/declarations.ts`, `${proof}rig/syntax-tree.ts`],
  ajv: ['packages/cli/src/fixtures/plan.ts'],
  '@stryker-mutator/instrumenter': [`${proof}mutation/mutants.ts`],
  'graphile-worker': [`${proof}bench/processes/jobs-process.ts`],
  'playwright-core': [`${proof}console-scale/`],
  pg: [`${proof}bench/processes/bare-process.ts`, `${proof}rig/databases/`],
  standardwebhooks: [`${proof}rig/receivers/process.ts`],
  undici: [`${proof}bench/processes/relay-process.ts`],
}

/** Files that re-export what others define: the entry points of a published package. */
export const barrels: readonly string[] = ['packages/sdk/src/index.ts', 'packages/sdk/src/webhooks/index.ts']

export type Exception = readonly [path: string, because: string]

const compositionRoots: readonly Exception[] = [
  [`${server}main.ts`, 'the composition root hands them to everything else'],
  ['packages/cli/src/', 'the command line composes the local world'],
]

/** Who may ask for the time of day, for chance, for new ids. Durations by `performance.now` are free. */
export const ambientHomes: readonly Exception[] = [
  ...compositionRoots,
  [`${server}platform/observe/log.ts`, 'a line carries the time at which it is written'],
  [`${server}platform/values/random-bytes.ts`, 'it is what is injected'],
  [`${server}platform/secrets/secret-box.ts`, 'a nonce must never repeat, whatever source a test puts in'],
  ['packages/embedded-postgres/src/binaries.ts', 'compares the ages of files with the clock that stamped them'],
  ['packages/embedded-postgres/src/cluster.ts', 'draws the password of a database before anything is composed'],
  [
    'packages/embedded-postgres/src/place.ts',
    'names a temporary file, so that a planted link is never written through',
  ],
  [consolePages, 'a page in a browser, which nothing composes'],
  [onboardingPage, 'a page in a browser, which nothing composes'],
  [`${sandbox}app/sandbox.ts`, 'the composition root of the emulator'],
  [`${sandbox}platform/ids.ts`, 'the one place where the emulator draws ids; nothing depends on which'],
  ['packages/sdk/src/core/runtime.ts', 'the one place of the SDK; its client is composed by programs of others'],
  [proof, 'measures and attacks by clocks and seeds of its own'],
  [`${sandbox}bridge/customers/form/person-form.ts`, 'a form rule compares an age with today, to the day'],
]

export const networkHomes: readonly Exception[] = [
  [`${server}provider/`, 'the provider client'],
  [`${server}platform/guarded-http/`, 'the sender of webhooks and of alerts, and requests to issuers'],
  ['packages/cli/src/', 'the local world and the demo are callers from outside'],
  [`${consolePages}session/`, 'the pages’ one way to the server'],
  [`${onboardingPage}client.ts`, 'the page’s one way to the server'],
  ['packages/sdk/src/', 'the client of integrators, a caller from outside'],
  [`${sandbox}bridge/webhooks/delivery.ts`, 'where the emulator sends its webhooks'],
  [proof, 'a caller from outside'],
]

/** Entry points: what Node, a browser or a person starts. Everything else must be reachable from one of them. */
export const entryPoints: readonly string[] = [
  'acceptance/main.ts',
  'examples/main.ts',
  'examples/oidc/main.ts',
  'examples/first-deposit.ts',
  'packages/cli/src/main.ts',
  'packages/console/src/main.tsx',
  'packages/console/vite.config.ts',
  'packages/console/e2e/screenshots.ts',
  'packages/onboarding/e2e/screenshots.ts',
  'packages/onboarding/e2e/figures.ts',
  'packages/onboarding/src/main.tsx',
  'packages/onboarding/vite.config.ts',
  'packages/sdk/src/index.ts',
  'packages/sdk/src/webhooks/index.ts',
  'packages/sdk/src/terms/open-terms.ts',
  'packages/sdk/src/onboarding/mount-onboarding.ts',
  'packages/sdk/scripts/check-package.ts',
  'packages/cli/scripts/check-package.ts',
  `${server}process/serve-process.ts`,
  `${sandbox}main.ts`,
  `${proof}bench/main.ts`,
  `${proof}fuzz/main.ts`,
  `${proof}fuzz/world-process.ts`,
  `${proof}faults/chaos/main.ts`,
  `${proof}faults/chaos-relay.ts`,
  `${proof}faults/clock/main.ts`,
  `${proof}faults/disk-full/main.ts`,
  `${proof}faults/failover.ts`,
  `${proof}faults/replica-loss.ts`,
  `${proof}faults/rolling-restart.ts`,
  `${proof}rig/evidence/main.ts`,
  `${proof}rig/receivers/process.ts`,
  `${proof}soak/main.ts`,
  `${proof}crash-points/main.ts`,
  `${proof}crash-points/hook.ts`,
  `${proof}crash-points/victim.ts`,
  `${proof}deploy/main.ts`,
  `${proof}image/main.ts`,
  `${proof}faults/upgrade/main.ts`,
  `${proof}faults/restore/main.ts`,
  `${proof}faults/receivers.ts`,
  `${proof}faults/abuse/main.ts`,
  `${proof}faults/pgbouncer/main.ts`,
  `${proof}faults/redis/main.ts`,
  `${proof}cost-per-event/main.ts`,
  `${proof}clients/main.ts`,
  `${proof}faults/abuse/attacker.ts`,
  `${proof}console-scale/main.ts`,
  `${proof}list-plans/main.ts`,
  `${proof}planted-bugs/main.ts`,
  `${proof}mutation/main.ts`,
  `${proof}mutation/coverage.ts`,
  'scripts/generate.ts',
  'scripts/test-statuses.ts',
  'packages/tracing/src/register.ts',
]

/** Programs that the pages show: `docs-snippets.test.ts` runs each of them. */
export const pagePrograms = 'docs/examples/'

/** How many others a file may lead to by its imports, types included: a reader of the file may need any of them. */
export const leadsToMax: Readonly<Record<string, number>> = {
  [`${server}stats/service.ts`]: 21,
  [`${server}events/ingest/ingest.ts`]: 36,
}

/** Source files of one folder, tests aside. */
export const filesMax = 14

export const linesMax = 250
export const functionLinesMax = 60
/** Limit for a component, most of which is markup. */
export const componentLinesMax = 120
