// A Redis of Debian's package on loopback: killed, frozen and started again, with nothing in it.

import { freePort, listens } from '../ports.ts'
import { openHome, type Program, requireProgram, startProgram, untilProgram } from '../programs.ts'
import type { Redis } from './database.ts'

export async function startRedis(stack: AsyncDisposableStack): Promise<Redis & { url: string; heal(): Promise<void> }> {
  const file = requireProgram('redis-server', 'redis-server')
  const folder = stack.use(openHome()).folder('redis')
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  let running: Program | null = null
  const start = async (): Promise<void> => {
    if (running?.isRunning()) return
    running = startProgram('Redis', { file, args })
    await untilProgram('listened', running, () => listens(port))
  }
  stack.defer(() => running?.stop())
  await start()
  const thaw = (): void => running?.signal('SIGCONT')
  return {
    url: `redis://127.0.0.1:${port}`,
    async kill() {
      running?.signal('SIGKILL')
      await running?.ended
    },
    start,
    freeze: () => running?.signal('SIGSTOP'),
    thaw,
    async heal() {
      thaw()
      await start()
    },
  }
}
