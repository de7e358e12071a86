// Appearance of a business's onboarding pages, and the sites that may embed them.

import { appendAudit } from '../audit/log.ts'
import type { Core } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import { actorOf, type Business } from '../platform/http/caller.ts'
import { answeringTransaction } from '../platform/http/idempotency/service.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import { parseRedirectUri } from '../platform/values/business-url.ts'
import { contrastViolations, defaultColors, logoViolation, originOf, type Violation } from './branding.rules.ts'
import * as store from './branding.store.ts'
import type { Branding } from './schema.rules.ts'

/** Omitted members have their defaults. */
export type BrandingInput = Partial<Omit<Branding, 'colors'>> & { colors?: Partial<Branding['colors']> }

/** Replaces the branding. @throws ApiError `invalid_branding` */
export async function setBranding(
  deps: Core,
  { business, held }: RequestScope,
  input: BrandingInput,
): Promise<Branding> {
  const given = checked(deps, input)
  return await answeringTransaction(deps, held, async (tx) => {
    const row = await store.saveBranding(tx, business.id, given)
    // Only `embedOrigins` goes into the audit log: colors are not security-relevant, and a logo can be 64 KiB.
    const details = { embedOrigins: row.embedOrigins }
    const act = { businessId: business.id, action: 'branding.changed', subjectId: business.id, details } as const
    await appendAudit(deps, tx, actorOf(business), act)
    return brandingView(row, business.name)
  })
}

/** Reads the branding, with defaults for unset members. */
export async function getBranding(deps: Core, business: Pick<Business, 'id' | 'name'>): Promise<Branding> {
  const row = await deps.db.read((query) => store.findBranding(query, business.id))
  return brandingView(row, business.name)
}

function checked(deps: Core, input: BrandingInput): store.BrandingRow {
  const { name = null, logo = null, supportEmail = null, privacyUrl = null, embedOrigins = [] } = input
  const allowLoopbackHttp = deps.config.mode === 'sandbox'
  const colors = { ...defaultColors, ...input.colors }
  const details: Violation[] = contrastViolations(colors)
  const badLogo = logo === null ? null : logoViolation(logo)
  if (badLogo) details.push(badLogo)
  const privacy = privacyUrl === null ? null : parseRedirectUri(privacyUrl, { allowLoopbackHttp })
  if (privacy?.ok === false)
    details.push({ param: 'privacyUrl', code: 'invalid_value', message: `privacyUrl ${privacy.message}` })
  const origins = embedOrigins.map((text, at) => {
    const origin = originOf(text, { allowLoopbackHttp })
    const message = `embedOrigins.${at} must be an https origin, such as https://app.example.com.`
    if (origin === null) details.push({ param: `embedOrigins.${at}`, code: 'invalid_value', message })
    return origin ?? ''
  })
  if (details.length > 0) throw fail('invalid_branding', { details })
  return {
    name,
    logo,
    colors,
    supportEmail,
    privacyUrl: privacy?.ok ? privacy.url : null,
    embedOrigins: [...new Set(origins)],
  }
}

function brandingView(row: store.BrandingRow | undefined, businessName: string): Branding {
  return {
    name: row?.name ?? businessName,
    logo: row?.logo ?? null,
    colors: row?.colors ?? defaultColors,
    supportEmail: row?.supportEmail ?? null,
    privacyUrl: row?.privacyUrl ?? null,
    embedOrigins: row?.embedOrigins ?? [],
  }
}
