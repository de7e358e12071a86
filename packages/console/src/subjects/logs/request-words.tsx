// A request of the log, in words.

import type { ApiRequest } from '@causeway/sdk'
import { Badge, type Tone } from '../../components/ui/badge.tsx'

const classes: Readonly<Record<string, readonly [Tone, string]>> = {
  2: ['good', 'OK'],
  4: ['warn', 'Client error'],
  5: ['bad', 'Server error'],
}

/** The status with what its class means to the caller. */
export function StatusBadge({ status }: { status: number }) {
  const [tone, words] = classes[String(status).charAt(0)] ?? (['idle', 'Responded'] as const)
  return <Badge tone={tone}>{`${status} ${words}`}</Badge>
}

export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** The path breaks at its slashes. */
export function Path({ path }: { path: string }) {
  const [first = '', ...segments] = path.split('/')
  return (
    <span className="break-words font-mono text-xs">
      {first}
      {segments.map((segment, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the segments of a path stay where they are
        <span key={at}>
          /<wbr />
          {segment}
        </span>
      ))}
    </span>
  )
}

/** The path with what it names, as far as the log holds it. */
export const pathOf = ({ path, objectId, externalUserId }: ApiRequest): string =>
  path.replace(/:(\w+)/g, (place, name: string) =>
    name === 'externalUserId' ? encodeURIComponent(externalUserId ?? place).replace('%3A', ':') : (objectId ?? place),
  )

/** The request as a curl command, with placeholders for data that the log does not store. */
export function curlOf(request: ApiRequest, origin: string): string {
  const { method } = request
  const address = pathOf(request).replace(/:(\w+)/g, '<$1>')
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${origin}${address}"`,
    '-H "Authorization: Bearer $CAUSEWAY_API_KEY"',
    ...(method === 'GET' ? [] : ['-H "Idempotency-Key: $(uuidgen)"']),
    ...(hasBody ? ['-H "Content-Type: application/json"', '-d @body.json'] : []),
  ].join(' \\\n  ')
}

/** Texts of the catalogue write code between backticks. */
export function withCode(text: string) {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text stay where they are
      <code key={at} className="rounded bg-sunken px-1 py-0.5 font-mono text-xs">
        {part}
      </code>
    ),
  )
}

export function DocsOfError({ code }: { code: string }) {
  return (
    <a href={`/docs/errors/${encodeURIComponent(code)}`} className="text-accent hover:underline">
      View in docs
    </a>
  )
}
