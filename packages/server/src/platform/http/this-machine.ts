// Whether a request comes from the machine that the server runs on, for what the local world gives without a key.

import type { FastifyRequest } from 'fastify'

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Tells by the name that was asked for and by the address of the peer. A page of another site that has had its own name resolved
 * to this machine sends that name as `Host`; another machine has another address.
 */
export function isFromThisMachine({ hostname, socket }: FastifyRequest): boolean {
  return loopbackNames.includes(hostname) && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '')
}
