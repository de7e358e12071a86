// What an error meant, for a reader of the log: the log holds its code alone.

import { catalogue } from '../../platform/errors.ts'

/** What stands for the facts of a call site, which the log does not hold. */
const placeholders: Readonly<Record<string, string>> = {
  scope: 'of this operation',
  bytesMax: 'the allowed number of',
  membersMax: 'the allowed number of',
  externalUserId: ':externalUserId',
  webhookEndpointId: ':id',
  endpointsMax: 'endpoints',
  liveKeysMax: 'live keys',
}

/** Reads the public text of an error and its remedy. @returns null for a code that this version does not know */
export function explanationOf(code: string): { message: string; resolution: string } | null {
  const entry = Object.entries(catalogue).find(([known]) => known === code)?.[1]
  if (!entry) return null
  const resolution = entry.resolution.replace(/\{(\w+)\}/g, (whole, name: string) => placeholders[name] ?? whole)
  return { message: entry.message, resolution }
}
