// Announces that an operation is deprecated: the headers of RFC 9745 and RFC 8594, and the text of the description.

import type { onSendAsyncHookHandler } from 'fastify'

/** Days are ISO dates, and begin at midnight UTC. */
export type Deprecation = {
  since: string
  /** The day on which the operation stops working at the earliest. */
  sunset: string
  /** The path that replaces the operation. Names no place that the operation's own path lacks. */
  replacement: `${string} /${string}`
}

const policyPath = '/docs/integrate/versioning/'
const pathOf = (address: string): string => address.split(' ')[1] ?? ''
const placesOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** @throws Error for dates or a replacement that the headers could not carry, which is a bug */
export function announcing(address: string, deprecation: Deprecation): onSendAsyncHookHandler {
  const [since, sunset] = [Date.parse(deprecation.since), Date.parse(deprecation.sunset)]
  if (!(since < sunset)) throw new Error(`${address} needs two dates, and a sunset after its deprecation`)
  const [own, replacement] = [placesOf(pathOf(address)), pathOf(deprecation.replacement)]
  const unknown = placesOf(replacement).filter((name) => !own.includes(name))
  if (unknown.length > 0) throw new Error(`the replacement of ${address} names ${unknown.join(', ')}`)
  const times = { deprecation: `@${since / 1_000}`, sunset: new Date(sunset).toUTCString() }
  return async (request, reply) => {
    const params = request.params as Readonly<Record<string, string>>
    const successor = replacement.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const { origin } = request.server
    const links = [
      reply.getHeader('link'),
      `<${origin}${policyPath}>; rel="deprecation"; type="text/html"`,
      `<${origin}${successor}>; rel="successor-version"`,
    ]
    reply.headers({ ...times, link: links.filter((link) => link !== undefined).join(', ') })
  }
}

/** Says the same in the description of the operation. */
export const deprecationText = ({ since, sunset, replacement }: Deprecation): string =>
  `Deprecated since ${since}, and available until ${sunset} at least. Use \`${replacement}\`.`
