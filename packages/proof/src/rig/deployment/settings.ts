// The settings of a world's replicas. All other settings are defaults, so that operators see the measured values.

import { randomBytes } from 'node:crypto'
import type { Database } from '../databases/database.ts'
import { connectionOf, urlOf } from '../databases/session.ts'
import type { Address } from '../network/proxy.ts'
import type { Settings } from '../world.ts'
import { originOf } from './lines.ts'

const always: Settings = {
  PROVIDER_WEBHOOK_SIGNATURE: 'required',
  RATE_LIMIT_REQUESTS: '1000000',
  KYC_SUBMISSIONS_PER_MINUTE: '10000',
  CAUSEWAY_HOME: '/dev/null/no-state-folder',
  LOG_LEVEL: 'warn',
}
const withProvider = {
  emulator: { PROVIDER_KIND: 'sandbox', RECONCILE_PERIOD_SECONDS: '10' },
  silent: { PROVIDER_KIND: 'bridge', RECONCILE_PERIOD_SECONDS: '0' },
} as const

export type Secrets = { adminSecret: string; deploymentSecret: string }

export function drawSecrets(): Secrets {
  return { adminSecret: randomBytes(16).toString('hex'), deploymentSecret: randomBytes(24).toString('hex') }
}

export function commonSettings(
  kind: keyof typeof withProvider,
  provider: { at: Address; apiKey: string; publicKey: string },
  { adminSecret, deploymentSecret }: Secrets,
): Settings {
  return {
    ...always,
    ...withProvider[kind],
    ADMIN_SECRET: adminSecret,
    DEPLOYMENT_SECRET: deploymentSecret,
    PROVIDER_URL: `${originOf(provider.at)}/v0`,
    PROVIDER_API_KEY: provider.apiKey,
    PROVIDER_WEBHOOK_PUBLIC_KEYS: provider.publicKey,
  }
}

/** @param lead returns where to connect in place of the database's own address */
export async function databaseSettings(
  { url, directUrl, home }: Database,
  lead?: (target: () => Address) => Promise<Address>,
): Promise<Settings> {
  if (home !== undefined) return { CAUSEWAY_HOME: home }
  const direct = directUrl === undefined ? {} : { DATABASE_DIRECT_URL: directUrl }
  if (!lead) return { DATABASE_URL: url, ...direct }
  const { host, port } = await lead(() => connectionOf(url))
  return { DATABASE_URL: urlOf({ ...connectionOf(url), host, port }), ...direct }
}
