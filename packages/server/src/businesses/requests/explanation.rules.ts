// Explains an error in the request log, which stores only its code.

import { catalogue } from '../../platform/errors.ts'

/** Placeholders for the facts of an error, which the log does not store. */
const placeholders: Readonly<Record<string, string>> = {
  scope: 'of this operation',
  bytesMax: 'the allowed number of',
  membersMax: 'the allowed number of',
  externalUserId: ':externalUserId',
  webhookEndpointId: ':id',
  endpointsMax: 'existing',
  channelsMax: 'existing',
  liveKeysMax: 'active',
  minutes: 'the allowed number of',
}

/** Returns the public text of an error and its remedy. @returns null for a code that this version does not know */
export function explanationOf(code: string): { message: string; resolution: string } | null {
  const entry = Object.entries(catalogue).find(([known]) => known === code)?.[1]
  if (!entry) return null
  const resolution = entry.resolution.replace(/\{(\w+)\}/g, (whole, name: string) => placeholders[name] ?? whole)
  return { message: entry.message, resolution }
}
