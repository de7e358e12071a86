// One port for several processes. On Linux each of them listens (SO_REUSEPORT), and the kernel hands connections out: when a
// process dies, what waits for it is refused at once. Handed out by the supervisor, as node:cluster does elsewhere, a connection
// on its way to a process that dies is neither answered nor closed.

import { createServer } from 'node:net'

const isSharedByKernel = process.platform === 'linux' || process.platform === 'freebsd'

/** How a worker listens. */
export const sharedPort = isSharedByKernel ? { reusePort: true, exclusive: true } : {}

/**
 * Fails where the port is taken: workers would share it with those of another service of the same user.
 * @throws Error with the code EADDRINUSE, or why else nobody can listen there
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()))
  })
}
