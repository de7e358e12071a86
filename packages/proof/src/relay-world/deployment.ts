// A deployment as an operator would have it, for the proofs: its configuration, replicas as separate processes, and its initial
// objects.

import { randomBytes } from 'node:crypto'
import { openStore } from '../../../server/src/app/open-store.ts'
import { createBusiness } from '../../../server/src/businesses/service.ts'
import { createEndUser } from '../../../server/src/end-users/service.ts'
import { createDeps } from '../../../server/src/main.ts'
import type { Config } from '../../../server/src/platform/config.ts'
import type { Business } from '../../../server/src/platform/http/caller.ts'
import { createLog } from '../../../server/src/platform/observe/log.ts'
import type { Target } from '../../../server/src/platform/postgres/client.ts'
import type { Database } from '../../../server/src/platform/postgres/database.ts'
import { parseConfig } from '../../../server/src/platform/settings.ts'
import { createEndpoint } from '../../../server/src/webhooks/endpoints/service.ts'
import { createProviderSigner, type ProviderSigner } from '../../../server/test/provider-signer.ts'
import { type ServeProcess, type ServeProgram, startServe } from '../../../server/test/serve-process.ts'

export type Ordering = 'best_effort' | 'per_end_user'
export type Endpoint = { id: string; businessId: string; ordering: Ordering }

export type Deployment = AsyncDisposable & {
  signer: ProviderSigner
  /** Past the API, to set up and to look: its connections outlive an outage of the database. */
  db: Database
  deps: ReturnType<typeof createDeps>
  /** Another replica. @param env settings beyond those of the deployment @param args of `causeway serve` */
  serve(env?: Readonly<Record<string, string>>, program?: ServeProgram, args?: readonly string[]): Promise<ServeProcess>
}

/** Unless `env` names a provider, none is ever asked: events come from the proof, and name what the deployment knows already. */
export async function openDeployment(database: Target, env: Readonly<Record<string, string>>): Promise<Deployment> {
  const signer = createProviderSigner()
  const given = {
    RECONCILE_PERIOD_SECONDS: '0',
    DATABASE_POOL_MAX: '10',
    PROVIDER_KIND: 'bridge',
    PROVIDER_URL: 'http://127.0.0.1:9/v0', // the discard port: nothing responds there
    PROVIDER_API_KEY: 'sk-test-proof',
    PROVIDER_WEBHOOK_PUBLIC_KEYS: signer.publicKey,
    PROVIDER_WEBHOOK_SIGNATURE: 'required',
    ...env,
  }
  const secrets = { deploymentSecret: randomBytes(24).toString('hex'), adminSecret: randomBytes(16).toString('hex') }
  const config: Config = parseConfig(given, secrets)
  const log = createLog('silent')
  const own = { ...config, databasePoolMax: 4 }
  const store = await ('url' in database
    ? openStore({ ...own, databaseUrl: database.url }, log)
    : openStore(own, log, database))
  const deps = createDeps(config, log, store.db)
  return {
    signer,
    db: store.db,
    deps,
    serve: (more = {}, program = {}, args = []) =>
      startServe({ database, inside: { config } }, { ...given, ...more }, args, program),
    async [Symbol.asyncDispose]() {
      await deps.provider.close()
      await store.close()
    },
  }
}

/** @returns the business's id */
export async function openBusiness(deployment: Deployment, externalUserIds: readonly string[]): Promise<string> {
  const { id } = await createBusiness(deployment.deps, { name: 'A business of the proof' })
  await addEndUsers(deployment, id, externalUserIds)
  return id
}

async function addEndUsers(
  { deps }: Deployment,
  businessId: string,
  externalUserIds: readonly string[],
): Promise<void> {
  const scope = { business: businessOf(businessId), held: null }
  for (const externalUserId of externalUserIds) await createEndUser(deps, scope, { externalUserId })
}

/** After the end-users, so that the first event of the proof is the first of the endpoint. */
export async function openEndpoint(
  { deps }: Deployment,
  endpoint: { businessId: string; url: string; ordering: Ordering },
): Promise<Endpoint> {
  const { businessId, url, ordering } = endpoint
  const { id } = await createEndpoint(deps, writerFor(businessId), { webhookUrl: url, ordering })
  return { id, businessId, ordering }
}

const writerFor = (businessId: string) => ({ business: businessOf(businessId), held: null })

function businessOf(id: string): Business {
  return {
    id,
    name: 'A business of the proof',
    status: 'active',
    credentialId: '',
    person: null,
    scopes: [],
    sessionId: null,
    consoleLinkId: null,
    requestId: null,
  }
}
