// Under which address the caller reaches us: needed for absolute links.

import type { FastifyRequest } from 'fastify'

/** What may stand in a Host header; anything else is not worth repeating in a link. */
const hostPattern = /^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$/

/** Without a trailing slash. `publicUrl` of the configuration wins over what the request says. */
export function originOf(request: Pick<FastifyRequest, 'protocol' | 'host'>, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  return hostPattern.test(request.host) ? `${request.protocol}://${request.host}` : ''
}
