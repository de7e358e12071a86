// `causeway events tail`: the event stream, one line per event.

import { Causeway } from '../../../sdk/src/index.ts'
import type { Context } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson } from '../output/safe-text.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'
import { clock, interruptOf, outageTeller } from './interrupt.ts'
import { streamLine } from './stream-line.ts'

export async function tailEvents(context: Context): Promise<number> {
  const { terminal, flags } = context
  const target = await resolveTarget(context)
  const causeway = new Causeway({ baseUrl: target.baseUrl, apiKey: requireKey(target) })
  await causeway.call('whoAmI', {}) // reports a wrong key or URL at once
  const signal = interruptOf(terminal)
  const outage = outageTeller(terminal, 'server')
  let isFollowing = false
  // From the first response on, the position of `now` is known, and no event is missed.
  const onResponse = (): void => {
    if (!isFollowing) terminal.complain(`Streaming events of ${target.baseUrl}. Press Ctrl-C to stop.`)
    isFollowing = true
    outage.isBack()
  }
  const events = causeway.events.stream({
    signal,
    ...(flags['oldest'] ? {} : { after: 'now' }),
    onResponse,
    onRetry: (failure) => outage.lost(failure.message),
  })
  for await (const event of events) {
    const { id, eventType: type, createdAt, externalUserId } = event
    if (flags['type'] !== undefined && flags['type'] !== type) continue
    if (flags['externalUserId'] !== undefined && flags['externalUserId'] !== externalUserId) continue
    if (flags['json']) terminal.print(safeJson(event))
    else
      terminal.print(
        streamLine(terminal, [
          { text: clock(new Date(createdAt)), width: 8 },
          { text: type, width: 38, isFlexible: true },
          { text: externalUserId ?? '–', width: 20, isFlexible: true },
          { text: id, width: 30 },
        ]),
      )
  }
  return exitCodes.interrupted
}
