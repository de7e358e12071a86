// Runs inside a server that will be killed or stopped: counts the awaits of the watched work, and stops the work at the wanted
// await. Stopped work does nothing, even when responses arrive, until the parent kills the process or thaws the work.

import { AsyncLocalStorage } from 'node:async_hooks'
import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** The header of a request under test. Its value is an `Arms`. */
export const armsHeader = 'x-crash-point'

/** @property at the point to stop at; null: run to the end and keep the points that were passed */
export type Arms = { name: string; at: string | null }

/** Messages to the parent. */
export type Said =
  | { loaded: true }
  | { up: true }
  | { reached: string }
  | { passed: string; points: Passed[] }
  | { ended: string }

/** A point, and how often this process had written to or read from any connection by then. */
export type Passed = { point: string; exchanges: number }

type Watch = {
  name: string
  at: string | null
  times: Map<string, number>
  passed: Passed[]
  isStopped: boolean
  thawed: PromiseWithResolvers<void>
  /** Awaits that have not gone on yet. */
  waiting: number
}

/** Work can continue from one await to the next through a timer or a stream. */
const endedAfterLooks = 5
const lookMs = 10

let exchanges = 0
const watching = new AsyncLocalStorage<{ watch: Watch | null }>()
const watches = new Map<string, Watch>()
const loops = new Map<string, { watch: Watch | null }>()

function say(said: Said): void {
  process.send?.(said)
}

function watchFor({ name, at }: Arms): Watch {
  const thawed = Promise.withResolvers<void>()
  const watch: Watch = { name, at, times: new Map(), passed: [], isStopped: false, thawed, waiting: 0 }
  watches.set(name, watch)
  return watch
}

function loopNamed(name: string): { watch: Watch | null } {
  const known = loops.get(name) ?? { watch: null }
  loops.set(name, known)
  return known
}

/** From now on this loop is watched; before it was started, too. */
export function armLoop(name: string, at: string | null): void {
  loopNamed(name).watch = watchFor({ name, at })
}

export function tellPassed(name: string): void {
  say({ passed: name, points: watches.get(name)?.passed ?? [] })
}

/** Lets stopped work continue, and resolves when none of it is waiting. */
export function thaw(name: string): void {
  const watch = watches.get(name)
  if (!watch) {
    say({ ended: name })
    return
  }
  watch.isStopped = false
  watch.at = '' // later work no longer stops
  watch.thawed.resolve()
  let looks = 0
  const timer = setInterval(() => {
    looks = watch.waiting === 0 ? looks + 1 : 0
    if (looks < endedAfterLooks) return
    clearInterval(timer)
    say({ ended: name })
  }, lookMs)
}

/** @returns whether it stops here */
function pass(watch: Watch, site: string, phase: 'called' | 'answered'): boolean {
  if (watch.isStopped) return true
  const place = `${site} ${phase}`
  const times = (watch.times.get(place) ?? 0) + 1
  watch.times.set(place, times)
  const point = `${place} #${times}`
  if (watch.at === null) watch.passed.push({ point, exchanges })
  if (point !== watch.at) return false
  watch.isStopped = true
  say({ reached: watch.name })
  return true
}

async function stopAround(watch: Watch, work: unknown, site: string): Promise<unknown> {
  // Started at once, as `await` would: a statement runs when somebody waits for it.
  const outcome =
    typeof work === 'object' && work !== null && 'then' in work
      ? new Promise((resolve, reject) => (work as PromiseLike<unknown>).then(resolve, reject))
      : work
  watch.waiting += 1
  try {
    if (pass(watch, site, 'called')) {
      Promise.resolve(outcome).catch(() => {})
      await watch.thawed.promise
    }
    return await outcome
  } finally {
    if (pass(watch, site, 'answered')) await watch.thawed.promise
    watch.waiting -= 1
  }
}

function at(work: unknown, site: string): unknown {
  const watch = watching.getStore()?.watch
  return watch ? stopAround(watch, work, site) : work
}

async function* each(source: AsyncIterable<unknown>, site: string): AsyncGenerator<unknown> {
  const items = source[Symbol.asyncIterator]()
  for (;;) {
    const item = (await at(items.next(), site)) as IteratorResult<unknown>
    if (item.done) return
    yield item.value
  }
}

function loop(name: string, run: () => Promise<void>): Promise<void> {
  return watching.run(loopNamed(name), run)
}

/** Watches requests with the header from their first byte on, including events of their streams. */
export function installProbe(): void {
  Object.assign(globalThis, { __crash: { at, each, loop } })
  countExchanges()
  const emit = Server.prototype.emit
  Server.prototype.emit = function (this: Server, event: string | symbol, ...args: unknown[]): boolean {
    const request = args[0] as IncomingMessage | undefined
    const header = event === 'request' ? request?.headers[armsHeader] : undefined
    if (typeof header !== 'string' || !request) return Reflect.apply(emit, this, [event, ...args])
    const store = { watch: watchFor(JSON.parse(header) as Arms) }
    for (const stream of [request, args[1] as ServerResponse]) {
      const tell = stream.emit
      stream.emit = (...told: unknown[]) => watching.run(store, () => Reflect.apply(tell, stream, told))
    }
    return watching.run(store, () => Reflect.apply(emit, this, [event, ...args]))
  } as typeof emit
}

/** Nothing outside of this process can tell two of its states apart between which it has exchanged nothing. */
function countExchanges(): void {
  for (const name of ['write', 'push'] as const) {
    const plain = Socket.prototype[name]
    Socket.prototype[name] = function (this: Socket, ...args: unknown[]): boolean {
      exchanges += 1
      return Reflect.apply(plain, this, args)
    }
  }
}
