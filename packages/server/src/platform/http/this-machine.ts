// Whether a request comes from the machine that the server runs on, and through nothing in between.

import type { FastifyRequest } from 'fastify'

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Headers that proxies, tunnels and port forwarders add to a request: the peer is theirs, and another machine may be behind it. */
const forwarding =
  /^(forwarded|via|(x-)?(real|true|client|cluster|connecting)-?(client|connecting)?-?ip|x-cluster-client-ip|x-forwarded(-.+)?|x-original-.+|x-proxy.*|x-envoy-.+|x-amzn-.+|x-azure-.+|x-arr-.+|x-appengine-.+|cf-.+|cdn-loop|fastly-.+|fly-.+|ngrok-.+|tailscale-.+)$/

/**
 * Reads the name that was asked for, the address of the peer, and the headers. A page of another site that has had its own name
 * resolved to this machine sends that name as `Host`; another machine has another address.
 */
export function isFromThisMachine({ hostname, socket, headers }: FastifyRequest): boolean {
  return (
    loopbackNames.includes(hostname) &&
    /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '') &&
    !Object.keys(headers).some((name) => forwarding.test(name))
  )
}
