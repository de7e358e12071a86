// Runs an operator command on the database of the deployment.

import type { Context } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { show } from '../output/show.ts'
import { onDatabase } from './on-database.ts'
import { noValues, type Values } from './operation.ts'
import { operations } from './operations.ts'

/** @returns the exit code: whether a script may continue */
export async function runOperatorCommand(name: string, context: Context): Promise<number> {
  const operation = operations[name]
  if (!operation) throw new Error(`no such command: ${name}`)
  const given = Object.entries(context.flags).map(([flag, value]) => [flag, String(value)])
  const values: Values = { ...noValues, ...Object.fromEntries(given) }
  const result = await onDatabase(context.env, (deps) => operation.run(deps, values, context.terminal))
  show(context, result)
  return operation.isBad?.(result) ? exitCodes.refused : exitCodes.done
}
