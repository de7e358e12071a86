// One request whose body takes time to send. By `fetch` nobody learns how much of a body is gone, but by streams, which need HTTP/2 and
// are not in Firefox and Safari.

/** The server ends a request whose body takes longer than 60 s. A line that broke earlier is only broken. */
const tooSlowMs = 55_000

export type Upload = { headers: Record<string, string>; body: string; onPart: (part: number) => void }

/** @returns the response, null where none came, or that the line is too slow for the body */
export function upload(url: string, { headers, body, onPart }: Upload): Promise<Response | null | 'too slow'> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onPart(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const retryAfter = request.getResponseHeader('retry-after')
      const known = retryAfter === null ? {} : { 'retry-after': retryAfter }
      if (request.status === 408) resolve('too slow')
      else resolve(new Response(request.responseText, { status: request.status, headers: known }))
    }
    request.onerror = () => resolve(performance.now() - startedAt > tooSlowMs ? 'too slow' : null)
    request.send(body)
  })
}
