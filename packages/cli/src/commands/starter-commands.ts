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
    name: 'demo',
    reach: 'process',
    summary: 'tell the whole story once, step by step, in a world of its own',
    examples: ['demo'],
    load: async () => {
      const { demo } = await import('../demo/demo.ts')
      return async ({ env }) => {
        await demo(env)
        return exitCodes.done
      }
    },
  },
  {
    name: 'serve',
    reach: 'process',
    summary: 'run the service, configured by the environment (docs/configuration.md)',
    options: [['--only <part>', 'one part of it: api or relay']],
    examples: ['serve', 'serve --only relay'],
    exitCodes: [config],
    load: async () => serveAs,
  },
  {
    name: 'doctor',
    summary: 'look at settings, database, provider and what waits; ends with 1 if there is a problem',
    examples: ['doctor', 'doctor --json'],
    load: async () => {
      const { doctor } = await import('../doctor/doctor.ts')
      return async ({ env, flags, terminal }) => {
        const isWell = await doctor(env, { json: flags['json'] === true }, terminal)
        return isWell ? exitCodes.done : exitCodes.refused
      }
    },
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
    import('../../../server/src/app/process/serve.ts'),
    import('../local-state.ts'),
  ])
  await serve(await loadConfig(env), role)
  return exitCodes.done
}
