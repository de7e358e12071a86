// How the pages of a business look. `findEmbedOrigins` crosses businesses: the page is sent before anybody has proved anything.

import { only } from '../platform/postgres/database.ts'
import type { Query, Tx } from '../platform/postgres/query.ts'
import type { Colors } from './schema.rules.ts'

export type BrandingRow = {
  name: string | null
  logo: string | null
  colors: Colors
  supportEmail: string | null
  privacyUrl: string | null
  embedOrigins: string[]
}

const columns = (query: Query) => query`name, logo, colors, support_email, privacy_url, embed_origins`

export async function findBranding(query: Query, businessId: string): Promise<BrandingRow | undefined> {
  const rows = await query<BrandingRow[]>`select ${columns(query)} from brandings where business_id = ${businessId}`
  return rows[0]
}

export async function saveBranding(tx: Tx, businessId: string, row: BrandingRow): Promise<BrandingRow> {
  return only(
    await tx<BrandingRow[]>`
      insert into brandings (business_id, name, logo, colors, support_email, privacy_url, embed_origins)
      values (${businessId}, ${row.name}, ${row.logo}, ${tx.json(row.colors)}, ${row.supportEmail}, ${row.privacyUrl}, ${row.embedOrigins})
      on conflict (business_id) do update set name = excluded.name, logo = excluded.logo, colors = excluded.colors,
        support_email = excluded.support_email, privacy_url = excluded.privacy_url, embed_origins = excluded.embed_origins,
        updated_at = now()
      returning ${columns(tx)}`,
  )
}

/** Reads which sites may frame the page of a link. @returns none for a link that is not there */
export async function findEmbedOrigins(query: Query, linkId: string): Promise<string[]> {
  const rows = await query<{ embedOrigins: string[] }[]>`
    select b.embed_origins from onboarding_links l join brandings b on b.business_id = l.business_id where l.id = ${linkId}`
  return rows[0]?.embedOrigins ?? []
}
