// Where the staff of a business, or of the operator, signs in.

import { deploymentChain } from '../audit/audit.rules.ts'
import type { Core } from '../platform/core.ts'
import type { IssuerSettings } from './protocol/discovery.ts'
import * as store from './store.ts'

/** The operator in addresses of the sign-in. */
const operatorWord = 'operator'

/** @param word of an address: the ID of a business, or `operator`; null if it is neither */
export function ownerOf(word: string): string | null {
  if (word === operatorWord) return deploymentChain
  return /^biz_[0-9a-z]{26}$/.test(word) ? word : null
}

/** The addresses to register at the issuer. The redirect URI differs for each owner, so that no issuer can pass off a code of another. */
export function addressesOf(origin: string, businessId: string) {
  const word = businessId === deploymentChain ? operatorWord : businessId
  const base = `${origin}/console/sign-in`
  return {
    signInUrl: `${base}/${word}`,
    redirectUri: `${base}/callback/${word}`,
    backchannelLogoutUri: `${base}/${word}/logout`,
    postLogoutRedirectUri: base,
  }
}

/** Reads the settings of a business or of the operator; null if there are none. */
export async function findSettings(deps: Core, businessId: string): Promise<IssuerSettings | null> {
  if (businessId === deploymentChain) return settingsOfOperator(deps)
  const row = await deps.db.read((query) => store.findIssuer(query, businessId))
  return row ? settingsOf(deps, row) : null
}

function settingsOfOperator({ config }: Pick<Core, 'config'>): IssuerSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcRoles: roles } = config
  if (issuer === undefined || clientId === undefined || roles === undefined) return null
  const client = { clientId, clientSecret: config.oidcClientSecret ?? null, scope: config.oidcScope }
  return { businessId: deploymentChain, issuer, ...client, roles, addresses: 'any', version: 'environment' }
}

/** Sandbox mode allows an issuer on this machine, by http. */
export function settingsOf(
  { config, secrets }: Pick<Core, 'config' | 'secrets'>,
  row: store.IssuerRow,
): IssuerSettings {
  const { businessId, issuer, clientId, clientSecretSealed, roles, scope, updatedAt } = row
  return {
    businessId,
    issuer,
    clientId,
    clientSecret: clientSecretSealed && secrets.open(clientSecretSealed, businessId),
    roles,
    scope,
    addresses: config.mode === 'live' ? 'public' : 'public_or_loopback',
    version: updatedAt.toISOString(),
  }
}
