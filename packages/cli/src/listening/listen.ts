// `causeway listen`: the events of a business at an address of this machine, signed as webhooks are.

import { Api } from '../../../sdk/src/core/api.ts'
import { Transport } from '../../../sdk/src/core/request.ts'
import type { Event } from '../../../sdk/src/index.ts'
import { type Context, type Flags, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson, safeText } from '../output/safe-text.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'
import { clock, interruptOf, outageTeller } from '../watching/interrupt.ts'
import { type Answered, forward } from './forward.ts'
import { newestPlace, runLoop } from './loop.ts'
import { listenSecret, openPosition } from './position.ts'

export async function listen(context: Context): Promise<number> {
  const { terminal, flags, env } = context
  const secret = await listenSecret(env)
  if (flags['printSecret']) {
    terminal.print(flags['json'] ? safeJson({ secret }) : secret)
    return exitCodes.done
  }
  const forwardTo = addressOf(flags['forwardTo'])
  const { baseUrl, ...target } = await resolveTarget(context)
  const api = new Api(new Transport({ baseUrl, apiKey: requireKey({ baseUrl, ...target }) }))
  const { customerId } = await api.call('whoAmI', {})
  const types = await typesOf(api, flags)
  const signal = interruptOf(terminal)
  const [server, receiver] = [outageTeller(terminal), outageTeller(terminal)]
  const send = async (event: Event): Promise<Answered | null> => {
    const options = { target: forwardTo, secret, signal, onLost: receiver.lost, onBack: receiver.isBack }
    const answer = await forward(event, options)
    if (answer) tell(context, event, answer)
    return answer
  }
  const since = timeOf(flags['since'])
  const store = await openPosition(env, [baseUrl, customerId, forwardTo])
  if (since !== null) await store.write({ cursor: null, answered: [] })
  else if (store.position().cursor === null) await store.write({ cursor: await newestPlace(api), answered: [] })
  terminal.complain(`Forwarding events of ${baseUrl} to ${forwardTo}. Signing secret: ${secret}. Ctrl-C ends.`)
  if (typeof flags['replay'] === 'string') await send(await api.call('getEvent', { path: { id: flags['replay'] } }))
  await runLoop(api, {
    store,
    signal,
    isWanted: ({ eventType: type, createdAt }) =>
      (types === null || types.includes(type)) && (since === null || new Date(createdAt) >= since),
    forward: send,
    visitor: {
      lost: server.lost,
      back: server.isBack,
      moved: (reason) => terminal.complain(`Events were missed, going on behind them: ${reason}`),
    },
  })
  return exitCodes.interrupted
}

function tell({ terminal, flags }: Context, event: Event, { status, ms }: Answered): void {
  const { id, eventType: type, externalUserId } = event
  if (flags['json']) terminal.print(safeJson({ eventId: id, type, externalUserId, status, ms }))
  else {
    const cells = [clock(new Date()), type.padEnd(34), externalUserId ?? '–', String(status), `${ms} ms`, id]
    terminal.print(cells.map(safeText).join('  '))
    if (flags['verbose']) terminal.print(safeJson(event.payload, 2))
  }
}

async function typesOf(api: Api, { events, loadEndpoint }: Flags): Promise<readonly string[] | null> {
  if (typeof events === 'string') return events.split(',').map((type) => type.trim())
  if (typeof loadEndpoint !== 'string') return null
  const { eventTypes } = await api.call('getWebhookEndpoint', { path: { id: loadEndpoint } })
  return eventTypes === null || eventTypes.length === 0 ? null : eventTypes
}

function addressOf(given: Flags[string]): string {
  const text = typeof given === 'string' ? given : ''
  const address = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (text === '' || !URL.canParse(address))
    throw new UsageError('--forward-to is an address, such as localhost:3000/hooks')
  return new URL(address).href
}

function timeOf(given: Flags[string]): Date | null {
  if (given === undefined) return null
  const time = new Date(String(given))
  if (Number.isNaN(time.getTime())) throw new UsageError('--since is a time, such as 2026-01-31T12:00:00Z')
  return time
}
