// What the API shows of a business and of an API key.

import { isoTime } from '../platform/values/time.ts'
import type { ApiKeyRow, BusinessRow } from './store.ts'

export function businessView(row: BusinessRow) {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

export function apiKeyView(row: ApiKeyRow) {
  return {
    id: row.id,
    name: row.name,
    lastFour: row.lastFour,
    scopes: row.scopes,
    createdAt: isoTime(row.createdAt),
    expiresAt: row.expiresAt ? isoTime(row.expiresAt) : null,
    lastUsedAt: row.lastUsedAt ? isoTime(row.lastUsedAt) : null,
    revokedAt: row.revokedAt ? isoTime(row.revokedAt) : null,
  }
}
