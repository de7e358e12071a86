// Results of operator commands.

import type { World } from '../../rig/world.ts'

export type Told = Awaited<ReturnType<World<never>['operator']>>

/** @throws Error if the command did not end with 0 */
export function answerOf({ code, answer, stderr }: Told): unknown {
  if (code !== 0) throw new Error(`an operator's command ended with ${code}: ${stderr} ${JSON.stringify(answer)}`)
  return answer
}
