// The result of `causeway migrate` for each mode of a pooler, with and without the direct URL. Creates the schema on the way.

import { startDebianPostgres } from '../../rig/databases/debian.ts'
import { type PoolMode, startPooler } from '../../rig/databases/pooler.ts'
import { runOperator } from '../../rig/deployment/operator.ts'
import { ownCommandLine } from '../../rig/environment.ts'

export type Start = {
  mode: PoolMode | 'none'
  direct: 'postgres' | 'pooler' | 'none'
  exitCode: number | null
  said: string
}

const plans: readonly Pick<Start, 'mode' | 'direct'>[] = [
  { mode: 'transaction', direct: 'none' },
  { mode: 'statement', direct: 'none' },
  { mode: 'transaction', direct: 'pooler' },
  { mode: 'transaction', direct: 'postgres' },
  { mode: 'session', direct: 'none' },
  { mode: 'none', direct: 'none' },
]

const EX_CONFIG = 78

/** @returns what was said, and how each start ended */
export async function tryStarts(): Promise<Start[]> {
  await using postgres = await startDebianPostgres()
  const starts: Start[] = []
  for (const { mode, direct } of plans) {
    await using pooler = mode === 'none' ? null : await startPooler(postgres.connection, { mode })
    const url = pooler?.urlOf() ?? postgres.url
    const addresses = { none: undefined, pooler: url, postgres: postgres.url }
    starts.push({ mode, direct, ...(await migrate(url, addresses[direct])) })
  }
  return starts
}

async function migrate(url: string, direct: string | undefined): Promise<Pick<Start, 'exitCode' | 'said'>> {
  const env = {
    DATABASE_URL: url,
    ...(direct !== undefined && { DATABASE_DIRECT_URL: direct }),
    DEPLOYMENT_SECRET: 'a-deployment-secret-of-this-proof-alone',
    ADMIN_SECRET: 'an-admin-secret-of-this-proof',
    PROVIDER_API_KEY: 'none',
  }
  const { code, stderr } = await runOperator(ownCommandLine, ['migrate'], env)
  return { exitCode: code, said: stderr.trim() }
}

/** Refused is what cannot work, with the way out; everything else starts. */
export function faultsOfStarts(starts: readonly Start[]): string[] {
  return starts.flatMap(({ mode, direct, exitCode, said }) => {
    const isRefused = mode === 'statement' || (mode === 'transaction' && direct !== 'postgres')
    const remedy = mode === 'statement' ? /use transaction mode/ : /DATABASE_DIRECT_URL/
    const isRight = isRefused ? exitCode === EX_CONFIG && remedy.test(said) : exitCode === 0
    return isRight ? [] : [`pooler ${mode}, direct address ${direct}: ended with ${exitCode}: ${said}`]
  })
}
