// The configuration of a process, as every service receives it. `settings` describes each member.

import { bridgeOffer } from '../provider/bridge/offer.ts'
import type { RailTable } from './values/rails.ts'

/** The values of `PROVIDER_KIND`, each with the provider whose API it uses: the sandbox uses Bridge's. */
export const providers = { bridge: 'bridge', sandbox: 'bridge' } as const

/** Provider-specific parts of the settings table. */
export const providerSettings = {
  kind: 'bridge',
  aboutKind:
    '`bridge`, or `sandbox` for the emulator of this project (switches `POST /v0/sandbox/…` on). A database belongs to one provider: a start that selects another is refused.',
  url: 'https://api.sandbox.bridge.xyz/v0',
  offer: bridgeOffer,
  /** Providers that approve a customer by endorsements. */
  withEndorsements: ['bridge'],
} as const

/** A kind of provider, as it is stored with each row that belongs to the provider. */
export type ProviderKind = (typeof providers)[keyof typeof providers]

/** @returns the provider whose API the process uses */
export const providerOf = ({ providerKind }: Pick<Config, 'providerKind'>): ProviderKind => providers[providerKind]

/** Limits that no setting changes. Code that composes a server can pass other values. */
export const fixedLimits = {
  /** KYC submissions per business and minute, those that name no end-user included. */
  businessKycSubmissionsPerMinute: 600,
  /** KYC submissions per business and minute, including submissions that name no end-user. */
  failedAuthPerMinute: 20,
  /** Connections that one client address may hold open, of 10,000 in all. */
  connectionsPerAddress: 1_000,
  /** The request log is dropped in whole weeks, so a request may stay up to a week longer. */
  requestLogDays: 7,
}
export type FixedLimits = typeof fixedLimits

export type Config = Readonly<
  FixedLimits & {
    mode: 'sandbox' | 'live'
    reusePort: 'off' | 'on'
    host: string
    port: number
    publicUrl: string | undefined
    consoleFrameAncestors: readonly string[]
    home: string
    databaseUrl: string | undefined
    databaseDirectUrl: string | undefined
    databasePoolMax: number
    /** Newest first, never empty. */
    deploymentSecrets: readonly string[]
    adminSecret: string
    /** Set together with the client ID and the roles, or none of the three. */
    oidcIssuer: string | undefined
    oidcClientId: string | undefined
    oidcClientSecret: string | undefined
    oidcRoles: RoleMapping | undefined
    oidcScope: string
    metricsToken: string | undefined
    providerKind: keyof typeof providers
    providerUrl: string
    providerApiKey: string | undefined
    providerTimeoutMs: number
    providerCustomerTimeoutMs: number
    providerWebhookSignature: 'required' | 'optional'
    providerWebhookPublicKeys: readonly string[] | undefined
    reconcilePeriodSeconds: number
    tosOrigin: string | undefined
    kycEndorsements: readonly DefaultEndorsement[]
    termsReliance: 'off' | 'on'
    developerFeePercentMax: string | undefined
    rails: RailTable
    destinationChangeDelayMinutes: number
    rateLimitRequests: number
    rateLimitWindowSeconds: number
    kycSubmissionsPerMinute: number
    redisUrl: string | undefined
    trustProxy: boolean | readonly string[]
    webhookSignatureSchemes: 'v1' | 'v1,v1a'
    webhookTimeoutMs: number
    webhookConcurrency: number
    webhookRetrySeconds: readonly number[]
    eventRetentionDays: number
    oidcRecheckMinutes: number
    /** 0: a sensitive operation needs no recent sign-in. */
    oidcFreshSignInMinutes: number
    smtpUrl: string | undefined
    alertEmailFrom: string | undefined
    shutdownDelayMs: number
    shutdownGraceMs: number
    logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  }
>

/** @property country alpha-3: required only of residents of this country; null: required of everyone */
export type DefaultEndorsement = { name: string; country: string | null }

/** A role of staff that a claim can give. */
export type MappedRole = 'admin' | 'developer' | 'support' | 'finance'

/**
 * @property claim the name of a claim, or a path such as `realm_access.roles`
 * @property values the role for each value of the claim
 */
export type RoleMapping = { claim: string; values: Readonly<Record<string, MappedRole>> }

/** Reports every malformed or missing value at once. The command line ends with exit code 78 (EX_CONFIG). */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}
