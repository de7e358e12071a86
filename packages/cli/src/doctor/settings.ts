// Settings that are well-formed and still wrong: weak secrets, plain http, a test provider in live mode, a port that is taken.

import { createServer } from 'node:net'
import type { Config } from '../../../server/src/platform/config.ts'
import { readAddresses } from '../../../server/src/platform/postgres/connecting/addresses.ts'
import { isGuessable } from '../../../server/src/platform/secrets/secret-strength.ts'
import { isLoopback } from '../../../server/src/platform/settings.ts'
import { type Finding, firstOf, ok, problem, warning } from './check.ts'

export async function checkSettings(config: Config): Promise<Finding[]> {
  return [
    checkDeploymentSecret(config),
    checkAdminSecret(config),
    checkPublicAddress(config),
    checkProviderAddress(config),
    checkDatabaseAddress(config),
    await checkPort(config),
  ]
}

const makeOne = 'Make one with: openssl rand -base64 32'

function checkDeploymentSecret({ deploymentSecrets }: Config): Finding {
  const check = 'deployment secret'
  const weakAt = deploymentSecrets.findIndex(isGuessable)
  return firstOf(
    [
      weakAt === 0 &&
        problem(check, 'DEPLOYMENT_SECRET can be guessed.', `Put a random one in front: "new,old". ${makeOne}`),
      weakAt > 0 && warning(check, `Number ${weakAt + 1} of DEPLOYMENT_SECRET can be guessed.`, 'Finish its rotation.'),
    ],
    ok(check, deploymentSecrets.length === 1 ? 'random' : `random; a list of ${deploymentSecrets.length}`),
  )
}

function checkAdminSecret({ adminSecret, deploymentSecrets }: Config): Finding {
  const check = 'admin secret'
  return firstOf(
    [
      deploymentSecrets.includes(adminSecret) &&
        problem(check, 'ADMIN_SECRET is the same as DEPLOYMENT_SECRET.', `Set another one. ${makeOne}`),
      isGuessable(adminSecret) && problem(check, 'ADMIN_SECRET can be guessed.', makeOne),
    ],
    ok(check, 'random'),
  )
}

function checkPublicAddress({ mode, publicUrl, trustProxy }: Config): Finding {
  const check = 'public address'
  if (mode === 'sandbox') return ok(check, publicUrl === undefined ? 'where it listens' : 'set')
  const url = publicUrl === undefined ? null : new URL(publicUrl)
  return firstOf(
    [
      url?.protocol === 'http:' &&
        problem(check, 'PUBLIC_URL is plain http: API keys would travel in the clear.', 'Put TLS in front; use https.'),
      url !== null &&
        isLoopback(url.hostname) &&
        problem(check, 'PUBLIC_URL names this machine only.', 'Set the outer one.'),
      url !== null &&
        !trustProxy &&
        warning(
          check,
          'TRUST_PROXY is not set: behind a proxy, all callers share one address and its limits.',
          'Set TRUST_PROXY=true if the proxy sets X-Forwarded-For and nobody else can reach this port.',
        ),
    ],
    ok(check, 'https'),
  )
}

function checkProviderAddress({ mode, providerUrl, providerKind }: Config): Finding {
  const check = 'provider address'
  const { hostname } = new URL(providerUrl)
  const isTest = hostname.includes('sandbox') || isLoopback(hostname)
  return firstOf(
    [
      mode === 'live' &&
        isTest &&
        problem(check, 'Live mode works with a test provider.', 'Set PROVIDER_URL to the provider’s live address.'),
      mode === 'sandbox' &&
        providerKind === 'bridge' &&
        !isTest &&
        warning(
          check,
          'Sandbox mode works with what looks like the live provider.',
          'Set PROVIDER_URL or CAUSEWAY_MODE.',
        ),
    ],
    ok(check, isTest ? 'a test provider' : 'https'),
  )
}

function checkDatabaseAddress({ databaseUrl, mode }: Config): Finding {
  const check = 'database address'
  const live = mode === 'live'
  if (databaseUrl === undefined) {
    return live
      ? warning(
          check,
          'The embedded PostgreSQL holds live data.',
          'It is for one host: set DATABASE_URL, or back it up well.',
        )
      : ok(check, 'the embedded PostgreSQL')
  }
  const { hosts, role, parameters } = readAddresses(databaseUrl)
  const isNear = hosts.every((host) => host === '' || host.startsWith('/') || isLoopback(host))
  const encrypts = /^(require|verify-ca|verify-full)$/.test(parameters.get('sslmode') ?? '')
  return firstOf(
    [
      !isNear &&
        !encrypts &&
        (live ? problem : warning)(
          check,
          'The connection to the database is not encrypted.',
          'End DATABASE_URL in ?sslmode=verify-full',
        ),
      hosts.length > 1 &&
        role === 'any' &&
        warning(
          check,
          'It names several hosts and takes whichever answers, a standby too.',
          'Add target_session_attrs=read-write to DATABASE_URL.',
        ),
    ],
    ok(check, isNear ? 'on this machine' : 'encrypted, its certificate checked'),
  )
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  const check = 'port'
  const code = await tryPort(host, port)
  if (code === null) return ok(check, port === 0 ? 'any free one' : `${port} is free`)
  if (code === 'EADDRINUSE') {
    if (await answersAsWe(host, port)) return ok(check, answersHere(port))
    return problem(check, `Port ${port} is taken by something else.`, 'Set PORT, or end what listens there.')
  }
  return problem(check, `Port ${port} cannot be opened (${code}).`, 'Set PORT and HOST to what this user may open.')
}

export const answersHere = (port: number): string => `a Causeway answers on ${port}`

function tryPort(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    server.listen({ host, port }, () => server.close(() => resolve(null)))
  })
}

async function answersAsWe(host: string, port: number): Promise<boolean> {
  try {
    const response = await fetch(`${localUrl({ host, port })}/healthz`, { signal: AbortSignal.timeout(2_000) })
    const text = await response.text()
    return response.ok && text === '{"data":{"status":"ok"}}'
  } catch {
    return false
  }
}

/** Where a process of this machine reaches what listens there. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}
