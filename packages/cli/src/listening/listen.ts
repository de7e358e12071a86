// `causeway listen`: the events of a business at a local URL, as signed webhooks.

import { Api } from '../../../sdk/src/core/api.ts'
import { Transport } from '../../../sdk/src/core/request.ts'
import type { Event } from '../../../sdk/src/index.ts'
import { type Context, type Flags, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson } from '../output/safe-text.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'
import { clock, interruptOf, outageTeller } from '../watching/interrupt.ts'
import { streamLine } from '../watching/stream-line.ts'
import { receiverUrl } from '../webhooks/receiver-url.ts'
import { type Answered, forward } from './forward.ts'
import { newestPlace, runLoop } from './loop.ts'
import { openOwnReceiver } from './own-receiver.ts'
import { listenSecret, openPosition } from './position.ts'
import { isResend, resentEvent } from './resends.ts'

export async function listen(context: Context): Promise<number> {
  const { terminal, flags, env } = context
  const secret = await listenSecret(env)
  if (flags['printSecret']) {
    terminal.print(flags['json'] ? safeJson({ secret }) : secret)
    return exitCodes.done
  }
  const target = flags['forwardTo'] === undefined ? null : receiverUrl('--forward-to', flags['forwardTo'])
  const deployment = await resolveTarget(context)
  const { baseUrl } = deployment
  const api = new Api(new Transport({ baseUrl, apiKey: requireKey(deployment) }))
  const { customerId } = await api.call('whoAmI', {})
  const isWanted = await filterOf(api, flags)
  const signal = interruptOf(terminal)
  const [server, receiver] = [outageTeller(terminal, 'server'), outageTeller(terminal, 'receiver')]
  const since = timeOf(flags['since'])
  using store = await openPosition(env, [baseUrl, customerId, target ?? 'itself'])
  await using own = target === null ? await openOwnReceiver(secret) : null
  const send = async (event: Event, isAgain = false): Promise<Answered | null> => {
    const options = { target: target ?? own?.url ?? '', secret, signal, onLost: receiver.lost, onBack: receiver.isBack }
    const answer = await forward(event, options)
    if (answer) tell(context, event, { ...answer, isAgain, isOwn: own !== null })
    return answer
  }
  if (since !== null) await store.write({ cursor: null, answered: [] })
  else if (store.position().cursor === null) await store.write({ cursor: await newestPlace(api), answered: [] })
  const where = target === null ? `Streaming events of ${baseUrl}` : `Forwarding events of ${baseUrl} to ${target}`
  terminal.complain(`${where}. Signing secret: ${secret}. Press Ctrl-C to stop.`)
  if (typeof flags['replay'] === 'string')
    await send(await api.call('getEvent', { path: { id: flags['replay'] } }), true)
  await runLoop(api, {
    store,
    signal,
    isWanted: (event) => (isResend(event) || isWanted(event)) && (since === null || new Date(event.createdAt) >= since),
    async forward(event) {
      const sent = isResend(event) ? await resentEvent(api, event) : event
      if (sent === null || !isWanted(sent)) return nothingSent
      return await send(sent, sent !== event)
    },
    visitor: {
      lost: server.lost,
      back: server.isBack,
      moved: (reason) => terminal.complain(`Some events were missed. Continuing after them: ${reason}`),
    },
  })
  return exitCodes.interrupted
}

/** The result for a resend of an event that the filter excludes. */
const nothingSent: Answered = { status: 204, ms: 0 }

type Told = Answered & { isAgain: boolean; isOwn: boolean }

function tell({ terminal, flags }: Context, event: Event, { status, ms, isAgain, isOwn }: Told): void {
  const { id, eventType: type, externalUserId } = event
  if (flags['json']) {
    terminal.print(safeJson({ eventId: id, type, externalUserId, status, ms, resent: isAgain }))
    return
  }
  const outcome = isOwn ? (status === 200 ? 'verified' : 'not verified') : String(status)
  terminal.print(
    streamLine(terminal, [
      { text: clock(new Date()), width: 8 },
      { text: type, width: 38, isFlexible: true },
      { text: externalUserId ?? '–', width: 20, isFlexible: true },
      { text: outcome, width: 3 },
      { text: `${ms} ms`, width: 6 },
      { text: id, width: 30 },
      ...(isAgain ? [{ text: 'resent', width: 6 }] : []),
    ]),
  )
  if (flags['verbose']) terminal.print(safeJson(event.payload, 2))
}

type Filter = (event: Event) => boolean

/** The types of `--events`, or the subscribed types of an endpoint: names, `prefix.*`, or `*` for all. */
async function filterOf(api: Api, { events, loadEndpoint }: Flags): Promise<Filter> {
  if (typeof events === 'string') return ofTypes(events.split(',').map((type) => type.trim()))
  if (typeof loadEndpoint !== 'string') return () => true
  const { eventTypes, sources } = await api.call('getWebhookEndpoint', { path: { id: loadEndpoint } })
  const isOfType = ofTypes(eventTypes)
  return (event) => isOfType(event) && sources.includes(event.source)
}

function ofTypes(wanted: readonly string[]): Filter {
  const fits = (type: string) => (name: string) =>
    name === '*' || name === type || (name.endsWith('.*') && type.startsWith(name.slice(0, -1)))
  return ({ eventType }) => wanted.some(fits(eventType))
}

function timeOf(given: Flags[string]): Date | null {
  if (given === undefined) return null
  const time = new Date(String(given))
  if (Number.isNaN(time.getTime())) throw new UsageError('--since takes a time, such as 2026-01-31T12:00:00Z')
  return time
}
