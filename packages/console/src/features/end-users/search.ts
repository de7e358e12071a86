// URL parameters of these pages. A value that is not allowed is ignored.

import type { EndUserType, KycStatus, Query } from '@causeway/sdk'
import { kycChoices } from '../../subjects/end-user.tsx'

export type ListSearch = { q?: string; status?: KycStatus; type?: EndUserType; label?: string; cursor?: string }

const textOf = (value: unknown): string | undefined => {
  // The address parses what looks like a number.
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' && text.length <= 600 ? text : undefined
}

export const isStatus = (value: unknown): value is KycStatus => kycChoices.some(([status]) => status === value)
export const isType = (value: unknown): value is EndUserType => value === 'individual' || value === 'business'

export function listSearchOf(search: Record<string, unknown>): ListSearch {
  const [q, label, cursor] = ['q', 'label', 'cursor'].map((name) => textOf(search[name]))
  const { status, type } = search
  return {
    ...(q !== undefined && { q: q.slice(0, 320) }),
    ...(isStatus(status) && { status }),
    ...(isType(type) && { type }),
    ...(label !== undefined && labelOf(label) !== null && { label }),
    ...(cursor !== undefined && { cursor }),
  }
}

/** Reads `key=value`. @returns null where it is not one */
export function labelOf(text: string): readonly [key: string, value: string] | null {
  const at = text.indexOf('=')
  const [key, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  return at < 1 || key === '' || value === '' || /[[\]]/.test(key) ? null : [key, value]
}

export function listQueryOf({ q, status, type, label, cursor }: ListSearch): Query<'listEndUsers'> {
  const pair = label === undefined ? null : labelOf(label)
  return {
    limit: 25,
    ...(q !== undefined && { q }),
    ...(status !== undefined && { kycStatus: status }),
    ...(type !== undefined && { type }),
    ...(pair !== null && { metadata: { [pair[0]]: pair[1] } }),
    ...(cursor !== undefined && { cursor }),
  }
}
