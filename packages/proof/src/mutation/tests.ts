// Which tests can see a mutant: those that import its file, the nearest first, and then those of its subject over HTTP.

import { dirname, join } from 'node:path'
import type { Sources, Tree } from '../planted-bugs/tree.ts'

const server = 'packages/server/'

/** Notices each change of a schema: `openapi.json` is made of them, and checked in. */
const generated = 'scripts/generate.ts --check'

const delivery = [
  ...['relay-delivery', 'relay-retry', 'relay-order', 'relay-lanes', 'relay-concurrency'],
  ...['relay-failing-endpoint', 'sealed-answers', 'relay-local', 'stop-in-time'],
]

/**
 * By the start of the mutated file's path in the server's `src`: tests in its `test`, without the ending, or a script. The
 * longest start counts.
 */
const wider: Readonly<Record<string, readonly string[]>> = {
  'alerts/': ['alerts-causes', 'alerts-channels', 'alerts-attacks'],
  'audit/': ['audit-tamper', 'http/list-audit-log'],
  'businesses/api-key': ['http/issue-api-key', 'http/edge-guards', 'http/revoke-api-key'],
  'businesses/requests/': ['http/list-requests'],
  'deposits/': ['deposit-amounts', 'deposit-steps', 'http/get-deposit', 'http/list-deposits'],
  'deposits/amounts': ['deposit-amounts', 'deposit-books'],
  'deposits/receipt': ['deposit-amounts', 'deposit-books'],
  'deposits/report': ['http/sum-completed-deposits', 'http/list-completed-deposits'],
  'end-users/': ['http/create-end-user', 'http/get-end-user', 'http/get-kyc-links'],
  'end-users/schema': [generated],
  'end-users/kyc/': ['http/submit-kyc-verdicts', 'kyc-verdict', 'http/get-kyc-links'],
  'end-users/kyc/form/eea': ['http/virtual-account-region'],
  'end-users/kyc/form/fields': [generated, 'http/get-kyc-requirements'],
  'end-users/kyc/form/form': [generated, 'http/submit-kyc', 'http/submit-kyc-failures'],
  'end-users/kyc/form/submission': [generated, 'http/submit-kyc', 'http/submit-kyc-failures'],
  'end-users/kyc/form/': [
    ...['http/get-kyc-requirements', 'http/submit-kyc', 'http/submit-kyc-company', 'http/submit-kyc-failures'],
    ...['http/submit-kyc-multipart', 'http/submit-kyc-endorsements'],
  ],
  'events/': ['http/get-event', 'http/list-events', 'business-events', 'http/test-webhook-endpoint'],
  'events/catalogue': [generated, 'business-events', 'http/test-webhook-endpoint'],
  'events/headers': ['http/create-webhook-endpoint', 'relay-delivery'],
  'events/ingest/': ['relay-reread', 'http/get-held-event'],
  'information-requests/': ['http/get-information-request', 'http/advance-information-request'],
  'onboarding/schema': [generated],
  'onboarding/': ['http/set-branding', 'http/get-branding', 'http/create-onboarding-link'],
  'platform/guarded-http/': ['relay-signatures', 'relay-failing-endpoint', 'relay-hostile'],
  'provider/': [generated, 'http/get-capabilities', 'http/create-virtual-account'],
  'virtual-accounts/': ['http/create-virtual-account', 'http/get-virtual-account', 'account-standing'],
  'virtual-accounts/bank-details': ['bank-details', 'bank-details-rails'],
  'virtual-accounts/instructions/': ['http/get-deposit-instructions', 'bank-details-rails'],
  'virtual-accounts/terms/': [
    ...['http/create-virtual-account', 'http/update-virtual-account', 'http/virtual-account-targets'],
    ...['http/virtual-account-region', 'http/virtual-account-travel-rule', 'http/virtual-account-traits'],
  ],
  'virtual-accounts/terms/fee-config': ['http/virtual-account-fee-config', 'http/update-virtual-account'],
  'webhooks/delivery/': delivery,
  'webhooks/delivery/attempt': [...delivery, 'metrics'],
  'webhooks/delivery/lease': ['relay-lease', 'relay-takeover', 'relay-replicas'],
  'webhooks/delivery/loop': ['relay-wake', 'relay-delivery', 'relay-idle', 'relay-lanes', 'relay-takeover'],
  'webhooks/signing': ['relay-signatures', 'relay-failing-endpoint', 'relay-hostile'],
  'webhooks/replay/': ['http/start-replay', 'http/explain-event', 'http/get-replay'],
}

/** A test that imports this, also through others, needs a database. */
const database = `${server}test/test-database.ts`
const nearbyMax = 5

export type TestsOf = (file: string) => readonly string[]

/** Tests without a server: next to the sources, and those of the readers of forms. */
const near = ['packages/server/src/', 'packages/forms/test/']

export function testChoice({ sourcesOf, tests }: Pick<Tree, 'sourcesOf' | 'tests'>): TestsOf {
  const sources: Sources = new Map([...sourcesOf('server'), ...sourcesOf('forms'), ...tests])
  const imports = new Map(Array.from(sources, ([file, { text }]) => [file, importsOf(file, text)]))
  const nearby = [...sources.keys()]
    .filter((file) => near.some((folder) => file.startsWith(folder)) && file.endsWith('.test.ts'))
    .map((file) => ({ file, sees: reachedFrom(file, imports) }))
    .filter(({ sees }) => !sees.has(database))
    .sort((left, right) => left.sees.size - right.sees.size)
  return (file) => {
    const seeing = nearby.filter(({ sees }) => sees.has(file)).map((one) => one.file)
    return [...new Set([...seeing.slice(0, nearbyMax), ...besides(file, sources), ...widerTestsOf(file)])]
  }
}

const pathOf = (name: string): string => (name === generated ? name : `${server}test/${name}.test.ts`)

/** The test next to a file, even if it needs a database. */
function besides(file: string, sources: Sources): string[] {
  const beside = file.replace(/\.ts$/, '.test.ts')
  return sources.has(beside) ? [beside] : []
}

function widerTestsOf(file: string): string[] {
  const place = file.replace(`${server}src/`, '')
  const [longest] = Object.keys(wider)
    .filter((start) => place.startsWith(start))
    .sort((left, right) => right.length - left.length)
  return (wider[longest ?? ''] ?? []).map(pathOf)
}

function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(/^(?:import|export)\s+(?!type\b)[^;'"]*?from '(\.[^']+)'/gm)
  return Array.from(found, ([, target = '']) => join(dirname(file), target))
}

function reachedFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([file])
  for (const module of reached) for (const next of imports.get(module) ?? []) reached.add(next)
  return reached
}
