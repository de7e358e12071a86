// The setup of a contract story: an adapter, the connection to its emulator, and the emulator as a process with its
// control protocol.

import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '../../src/platform/values/json.ts'
import { createSandboxControl, type SandboxControl } from '../../src/provider/emulator.ts'
import type { Customers, Provider, RailState, Refusal, Standing, Terms, Write } from '../../src/provider/port.ts'
import { until } from '../caller.ts'
import { company, kycBody } from '../people.ts'
import type { Drawn } from './money.ts'
import { openWire, type Wire } from './wire.ts'

export type Part = keyof Provider
/** Parts that every adapter has from its first day. */
type Basics = 'kind' | 'traits' | 'offer'
/** An adapter that has these parts. */
export type With<Parts extends Part> = { readonly [P in Parts | Basics]: NonNullable<Provider[P]> }

export type Log = Record<'debug' | 'warn' | 'error', (facts: Record<string, unknown>, message: string) => void>
export type AdapterOptions = { origin: string; apiKey: string; timeoutMs: number; log?: Log }
export type EmulatorProcess = { url: string; apiKey: string; pid: number; stop(): Promise<void> }

/** `due`: a name of the catalogue. `later`: something will be asked for from a day on. */
export type Decided = Partial<Pick<Standing, 'verdict' | 'pause'>> & { due?: string; later?: true; usd?: RailState }

/** An adapter on trial, and what only its author knows. */
export type Candidate = {
  /** Undefined parts are not built yet. */
  make(options: AdapterOptions): Partial<Provider> & Pick<Provider, Basics> & { close(): Promise<void> }
  /** Starts the emulator. The state in the folder survives the death of the process. */
  start(port: number, stateDir: string): Promise<EmulatorProcess>
  /** Orders of faults that make the emulator refuse the next call, where no story can provoke the refusal. */
  refusals: Partial<Record<Refusal, JsonObject>>
  /** Decisions of the control protocol that only some emulators know, and what the adapter must then report. */
  decisions: Record<string, Decided>
  /** Replaces each status, type and rail in a response by a word that nobody knows. */
  strange(response: JsonObject): JsonObject
  /** Draws deposits: the pages of a history that report them, and what each must be worth. */
  draw: ((count: number) => { seed: number; pages: string[]; deposits: Drawn[] }) | null
}

export type World<Parts extends Part = Part> = {
  candidate: Candidate
  wire: Wire
  control: SandboxControl
  /** Waits long enough for any response. */
  provider: With<Parts>
  /** Makes another adapter on the same line. */
  adapter(options?: Partial<AdapterOptions>): With<Parts>
  /** Counts what the provider has, by kind of object. */
  objects(): Promise<Record<string, number>>
  kill(): Promise<void>
  /** Starts the killed provider again, with its state. */
  revive(): Promise<void>
}

const patientMs = 20_000

/** Opens a world for all stories of one adapter, which run one after the other. */
export async function openWorldOf(candidate: Candidate): Promise<World & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-contract-'))
  let emulator = await candidate.start(await steadyPort(), folder)
  const { url, apiKey } = emulator
  const wire = await openWire(() => url)
  const made: { close(): Promise<void> }[] = []
  const adapter: World['adapter'] = (options = {}) => {
    const provider = candidate.make({ origin: wire.origin, apiKey, timeoutMs: patientMs, ...options })
    made.push(provider)
    return provider as With<Part> & typeof provider
  }
  return {
    candidate,
    wire,
    control: createSandboxControl(url, patientMs),
    provider: adapter(),
    adapter,
    objects: () => objectsAt(url),
    async kill() {
      const { pid, stop } = emulator
      if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await stop()
    },
    async revive() {
      emulator = await candidate.start(Number(new URL(url).port), folder)
    },
    async [Symbol.asyncDispose]() {
      for (const { close } of made) await close()
      await wire[Symbol.asyncDispose]()
      await emulator.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Finds a free port below the range from which systems pick ports: nobody is given it while a killed provider is away. */
async function steadyPort(): Promise<number> {
  for (;;) {
    const server = createServer()
    const port = randomInt(10_240, 32_000)
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((closed) => server.close(closed))
    return port
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** `GET /_sandbox/state` of the control protocol: `{kind: {count}}`. */
async function objectsAt(origin: string): Promise<Record<string, number>> {
  const state: unknown = await (await fetch(`${origin}/_sandbox/state`)).json()
  assert.ok(isJsonObject(state))
  return Object.fromEntries(
    Object.entries(state).map(([kind, census]) => [kind, Number(isJsonObject(census) && census['count'])]),
  )
}

// People ----------------------------------------------------------------------------------------------------------------

let serial = 0
export const freshMail = (): string => `contract-${++serial}`
export const freshWrite = (): Write => ({ key: randomUUID() })

/** A body of our form with everything in it, which asks for every currency that the provider offers. */
export function personBody({ provider: { offer } }: Pick<World<never>, 'provider'>, mail: string): JsonObject {
  return { ...kycBody(null, mail), endorsements: endorsementsIn(offer) } as JsonObject
}

export function companyBody({ provider: { offer } }: Pick<World<never>, 'provider'>, mail: string): JsonObject {
  const { signed_agreement_id: _, ...body } = company('', mail)
  return { ...body, endorsements: endorsementsIn(offer) } as unknown as JsonObject
}

const endorsementsIn = ({ fiat }: Provider['offer']): string[] =>
  Object.values(fiat).flatMap(({ endorsements }) => endorsements.slice(0, 1))

/** Signs the terms. @returns the agreement; null where the provider has no terms */
export async function signedAgreement({ provider, control }: Pick<World<never>, 'provider' | 'control'>) {
  const { terms } = provider as { terms?: Terms | null }
  return terms ? await control.acceptTerms((await terms.createLink(freshWrite())).url) : null
}

type PeopleWorld = Pick<World<'customers'>, 'provider' | 'control'>

/**
 * Creates a customer.
 * @param given replaces members of the complete body; undefined leaves a member out
 * @returns `whole`: a submission of everything, for a change. `current`: what the change must know of the customer
 */
export async function customer(world: PeopleWorld, given: Record<string, unknown> = {}, bodyOf = personBody) {
  const mail = freshMail()
  const complete = bodyOf(world, mail)
  const agreement = await signedAgreement(world)
  const submission = { body: defined({ ...complete, ...given }), agreement, reference: `ref-${mail}` }
  const standing = await world.provider.customers.create(submission, freshWrite())
  const type: 'individual' | 'business' = bodyOf === personBody ? 'individual' : 'business'
  return {
    id: standing.id,
    email: `${mail}@example.com`,
    standing,
    submission,
    whole: { ...submission, body: complete, agreement: null },
    current: { type, agreement },
  }
}

export function defined(object: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject
}

export async function approved(world: PeopleWorld, given: Record<string, unknown> = {}) {
  const made = await customer(world, given)
  await world.control.decideKyc(made.id, { decision: 'approve' })
  return made
}

export async function standingUntil(
  { customers }: { customers: Customers },
  id: string,
  verdict: Standing['verdict'],
): Promise<Standing> {
  return await until(`the verdict ${verdict}`, async () => {
    const standing = await customers.read(id)
    return standing.verdict === verdict && standing
  })
}
