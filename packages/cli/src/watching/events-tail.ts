// `causeway events tail`: the event stream, one line an event.

import { Causeway } from '../../../sdk/src/index.ts'
import type { Context } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson, safeText } from '../output/safe-text.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'
import { clock, interruptOf, outageTeller } from './interrupt.ts'

export async function tailEvents(context: Context): Promise<number> {
  const { terminal, flags } = context
  const target = await resolveTarget(context)
  const causeway = new Causeway({ baseUrl: target.baseUrl, apiKey: requireKey(target) })
  await causeway.call('whoAmI', {}) // a wrong key or address is said at once
  const signal = interruptOf(terminal)
  const outage = outageTeller(terminal, 'server')
  let isFollowing = false
  // From the first answer on the place of `now` is known: nothing is missed any more.
  const onAnswer = (): void => {
    if (!isFollowing) terminal.complain(`Events of ${target.baseUrl}, as they happen. Ctrl-C ends.`)
    isFollowing = true
    outage.isBack()
  }
  const events = causeway.events.stream({
    signal,
    ...(flags['oldest'] ? {} : { after: 'now' }),
    onAnswer,
    onRetry: (failure) => outage.lost(failure.message),
  })
  for await (const event of events) {
    const { id, eventType: type, createdAt, externalUserId } = event
    if (flags['type'] !== undefined && flags['type'] !== type) continue
    if (flags['externalUserId'] !== undefined && flags['externalUserId'] !== externalUserId) continue
    if (flags['json']) terminal.print(safeJson(event))
    else
      terminal.print([clock(new Date(createdAt)), type.padEnd(38), id, externalUserId ?? ''].map(safeText).join('  '))
  }
  return exitCodes.interrupted
}
