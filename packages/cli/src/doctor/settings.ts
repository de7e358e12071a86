// Checks valid but wrong settings: weak secrets, plain http, a test provider in live mode, a used port.

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

const generateOne = 'Generate one with: openssl rand -base64 32'

function checkDeploymentSecret({ deploymentSecrets }: Config): Finding {
  const check = 'deployment secret'
  const weakAt = deploymentSecrets.findIndex(isGuessable)
  return firstOf(
    [
      weakAt === 0 &&
        problem(check, 'DEPLOYMENT_SECRET is weak.', `Add a random secret in front: "new,old". ${generateOne}`),
      weakAt > 0 && warning(check, `Secret ${weakAt + 1} of DEPLOYMENT_SECRET is weak.`, 'Finish the rotation.'),
    ],
    ok(check, deploymentSecrets.length === 1 ? 'random' : `random (${deploymentSecrets.length} secrets)`),
  )
}

function checkAdminSecret({ adminSecret, deploymentSecrets }: Config): Finding {
  const check = 'admin secret'
  return firstOf(
    [
      deploymentSecrets.includes(adminSecret) &&
        problem(check, 'ADMIN_SECRET is the same as DEPLOYMENT_SECRET.', `Set a different secret. ${generateOne}`),
      isGuessable(adminSecret) && problem(check, 'ADMIN_SECRET is weak.', generateOne),
    ],
    ok(check, 'random'),
  )
}

function checkPublicAddress({ mode, publicUrl, trustProxy }: Config): Finding {
  const check = 'public URL'
  if (mode === 'sandbox') return ok(check, publicUrl === undefined ? 'the address where the server listens' : 'set')
  const url = publicUrl === undefined ? null : new URL(publicUrl)
  return firstOf(
    [
      url?.protocol === 'http:' &&
        problem(
          check,
          'PUBLIC_URL uses plain http, so API keys are sent unencrypted.',
          'Put TLS in front, and use https.',
        ),
      url !== null &&
        isLoopback(url.hostname) &&
        problem(check, 'PUBLIC_URL is a loopback address.', 'Set the public URL.'),
      url !== null &&
        !trustProxy &&
        warning(
          check,
          'TRUST_PROXY is not set. Behind a proxy, all callers share one IP address and its limits.',
          'Set TRUST_PROXY=true if the proxy sets X-Forwarded-For and only the proxy can reach this port.',
        ),
    ],
    ok(check, 'https'),
  )
}

function checkProviderAddress({ mode, providerUrl, providerKind }: Config): Finding {
  const check = 'provider URL'
  const { hostname } = new URL(providerUrl)
  const isTest = hostname.includes('sandbox') || isLoopback(hostname)
  return firstOf(
    [
      mode === 'live' &&
        isTest &&
        problem(check, 'Live mode uses a test provider.', 'Set PROVIDER_URL to the live URL of the provider.'),
      mode === 'sandbox' &&
        providerKind === 'bridge' &&
        !isTest &&
        warning(
          check,
          'Sandbox mode uses a URL that looks like the live provider.',
          'Set PROVIDER_URL or CAUSEWAY_MODE.',
        ),
    ],
    ok(check, isTest ? 'a test provider' : 'https'),
  )
}

function checkDatabaseAddress({ databaseUrl, mode }: Config): Finding {
  const check = 'database URL'
  const live = mode === 'live'
  if (databaseUrl === undefined) {
    return live
      ? warning(
          check,
          'The embedded PostgreSQL stores live data.',
          'It supports one host only. Set DATABASE_URL, or back up the data regularly.',
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
          'Add ?sslmode=verify-full to DATABASE_URL.',
        ),
      hosts.length > 1 &&
        role === 'any' &&
        warning(
          check,
          'DATABASE_URL names several hosts and can connect to a standby.',
          'Add target_session_attrs=read-write to DATABASE_URL.',
        ),
    ],
    ok(check, isNear ? 'on this machine' : 'encrypted, certificate verified'),
  )
}

async function checkPort({ host, port }: Config): Promise<Finding> {
  const check = 'port'
  const code = await tryPort(host, port)
  if (code === null) return ok(check, port === 0 ? 'any free port' : `${port} is free`)
  if (code === 'EADDRINUSE') {
    if (await answersAsWe(host, port)) return ok(check, answersHere(port))
    return problem(check, `Port ${port} is used by another program.`, 'Set PORT, or stop that program.')
  }
  return problem(
    check,
    `Port ${port} cannot be opened (${code}).`,
    'Set PORT and HOST to an address that this user can open.',
  )
}

export const answersHere = (port: number): string => `Causeway is running on ${port}`

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

/** The URL at which this machine reaches a listening address. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}
