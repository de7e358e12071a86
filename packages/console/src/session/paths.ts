// Addresses of pages of other subjects.

export function endUserPath(externalUserId: string): string {
  return `/end-users/${encodeURIComponent(externalUserId)}`
}
