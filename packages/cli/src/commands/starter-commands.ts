// Commands that start and inspect things: the local environment, the demo, the service.

import { type CommandSpec, type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'

const config = '78   the configuration is wrong'

export const starterCommands: readonly CommandSpec[] = [
  {
    name: 'dev',
    reach: 'process',
    summary: 'start the local environment: database, provider sandbox, server and webhook inbox',
    options: [['--reset', 'delete local data first']],
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
    summary: 'open the console, the docs or another page in the browser',
    args: [
      ['[page]', 'console (default), sandbox, operator, docs, api or onboarding'],
      ['[externalUserId]', 'the end-user whose onboarding page to open; creates an onboarding link'],
    ],
    examples: ['open', 'open docs', 'open onboarding ada'],
    reach: 'api',
    load: async () => (await import('../world/open-page.ts')).openPage,
  },
  {
    name: 'status',
    summary: 'show the URLs and keys of the local environment',
    options: [['-o, --output <format>', 'env (exports for a shell) or json']],
    examples: ['status', 'status -o env', 'status --json'],
    load: async () => (await import('../world/status.ts')).showStatus,
  },
  {
    name: 'demo',
    reach: 'process',
    summary: 'run an end-to-end demo in a temporary environment',
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
    summary: 'run the service with the configuration of the environment',
    options: [['--only <part>', 'run one part: api or relay']],
    examples: ['serve', 'serve --only relay'],
    exitCodes: [config],
    load: async () => serveAs,
  },
  {
    name: 'doctor',
    summary: 'check a deployment, a server or an endpoint, and report problems',
    options: [
      ['--endpoint <url>', 'check only this webhook receiver; it gets four test events'],
      [
        '--secret <secret>',
        'its signing secret (default: CAUSEWAY_SIGNING_SECRET, then the secret of causeway listen)',
      ],
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
