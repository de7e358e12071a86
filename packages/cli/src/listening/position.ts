// Where a listener stands: one file for each deployment, key and target, written whole after each answer of the target.

import { createHash, randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Env, readState, writeState } from '../local-state.ts'
import { configFolder } from '../profile/store.ts'

export type Position = {
  /** The cursor behind everything that was answered; null before the first. */
  cursor: string | null
  /** Events behind the cursor that the target has answered already. */
  answered: readonly string[]
}

export type PositionStore = Disposable & { position(): Position; write(position: Position): Promise<void> }

/** Another listener stands there: two would send everything twice, and each overwrite the other's place. */
export class PlaceTaken extends Error {}

/** SQLITE_BUSY. */
const sqliteBusy = 5

const folder = (env: Env): string => join(configFolder(env), 'listen')

/**
 * Opens the position of a listener, which no other process can open meanwhile.
 * @param place what tells one listener from another: deployment, business, target
 * @throws PlaceTaken
 */
export async function openPosition(env: Env, place: readonly string[]): Promise<PositionStore> {
  const hash = createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 32)
  const name = `${hash}.json`
  await mkdir(folder(env), { recursive: true, mode: 0o700 })
  const lock = lockOf(join(folder(env), `${hash}.lock`))
  const { cursor, answered } = (await readState(folder(env), name)) ?? {}
  const known = Array.isArray(answered) ? answered.filter((id) => typeof id === 'string') : []
  let current: Position = { cursor: typeof cursor === 'string' ? cursor : null, answered: known }
  let writing = Promise.resolve()
  return {
    [Symbol.dispose]: () => lock.close(),
    position: () => current,
    write(position) {
      current = position
      // One after the other: an older position never replaces a newer one.
      writing = writing.then(() => writeState(folder(env), name, { place, ...position }))
      return writing
    },
  }
}

/** Takes a lock that the kernel ends with the process: after kill -9 the place is free. @throws PlaceTaken */
function lockOf(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (failure) {
    lock.close()
    const isBusy = failure instanceof Error && 'errcode' in failure && failure.errcode === sqliteBusy
    if (!isBusy) throw failure
    throw new PlaceTaken(
      'Another causeway listen forwards the events of this business to this address already. Stop it first, or forward to another address.',
    )
  }
}

/** Reads the signing secret of this person's listeners; draws it when there is none. @returns `whsec_…` */
export async function listenSecret(env: Env): Promise<string> {
  const { secret } = (await readState(folder(env), 'secret.json')) ?? {}
  if (typeof secret === 'string') return secret
  const drawn = `whsec_${randomBytes(32).toString('base64')}`
  await writeState(folder(env), 'secret.json', { secret: drawn })
  return drawn
}
