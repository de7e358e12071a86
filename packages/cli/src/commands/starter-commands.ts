// Commands that start something: the local world, the story, the service; and those that look at one.

import { type CommandSpec, type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'

const config = '78   the environment is not right'

export const starterCommands: readonly CommandSpec[] = [
  {
    name: 'dev',
    reach: 'process',
    summary: 'run everything on this machine: database, emulated provider, server, webhook inbox',
    options: [['--reset', 'forget the world of this folder first']],
    examples: ['dev', 'dev --reset'],
    exitCodes: [config],
    load: async () => {
      const { dev } = await import('../dev.ts')
      return async ({ env, flags }) => {
        await dev(env, { reset: flags['reset'] === true })
        return exitCodes.done
      }
    },
  },
  {
    name: 'open',
    summary: 'make a one-time link into the console of the local environment, and open it in the browser',
    args: [['[role]', 'business (the default) or operator']],
    examples: ['open', 'open operator'],
    load: async () => (await import('../world/open-console.ts')).openConsole,
  },
  {
    name: 'demo',
    reach: 'process',
    summary: 'tell the whole story once, step by step, in a world of its own',
    examples: ['demo'],
    load: async () => {
      const { demo } = await import('../demo/demo.ts')
      return async () => {
        await demo()
        return exitCodes.done
      }
    },
  },
  {
    name: 'serve',
    reach: 'process',
    summary: 'run the service, configured by the environment (/docs/reference/configuration)',
    options: [['--only <part>', 'one part of it: api or relay']],
    examples: ['serve', 'serve --only relay'],
    exitCodes: [config],
    load: async () => serveAs,
  },
  {
    name: 'doctor',
    summary: 'look at a deployment, a server or an endpoint, and say what is wrong; ends with 1 if there is a problem',
    options: [
      ['--endpoint <address>', 'a receiver of webhooks, and nothing else: it gets four test events'],
      ['--secret <secret>', 'of that receiver; else CAUSEWAY_SIGNING_SECRET, else that of causeway listen'],
    ],
    examples: ['doctor', 'doctor --profile production', 'doctor --endpoint http://localhost:3000/hooks --json'],
    reach: 'api',
    load: async () => (await import('../doctor/doctor.ts')).doctor,
  },
  {
    name: 'version',
    summary: 'print the version',
    examples: ['version'],
    load: async () => {
      const { version } = await import('../../../server/src/platform/version.ts')
      return async ({ terminal, flags }) => {
        terminal.print(flags['json'] ? JSON.stringify({ version }) : version)
        return exitCodes.done
      }
    },
  },
]

async function serveAs({ env, flags }: Context): Promise<number> {
  const role = flags['only'] ?? 'all'
  if (role !== 'all' && role !== 'api' && role !== 'relay') throw new UsageError('--only takes api or relay')
  const [{ serve }, { loadConfig }] = await Promise.all([
    import('../../../server/src/process/serve.ts'),
    import('../local-state.ts'),
  ])
  await serve(await loadConfig(env), role)
  return exitCodes.done
}
