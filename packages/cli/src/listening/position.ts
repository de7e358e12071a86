// The position of a listener: one file per deployment, business and target, rewritten after each response of the target.

import { createHash, randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Env, readState, writeState } from '../local-state.ts'
import { configFolder } from '../profile/store.ts'

export type Position = {
  /** All events before this cursor have a response; null before the first. */
  cursor: string | null
  /** Events after the cursor that already have a response of the target. */
  answered: readonly string[]
}

export type PositionStore = Disposable & { position(): Position; write(position: Position): Promise<void> }

/** Another listener has this position. Two would send every event twice, and overwrite each other's position. */
export class PlaceTaken extends Error {}

/** SQLITE_BUSY. */
const sqliteBusy = 5

const folder = (env: Env): string => join(configFolder(env), 'listen')

/**
 * Opens the position of a listener, and locks it for other processes.
 * @param place identifies a listener: deployment, business, target
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
      // Writes are sequential: an older position never replaces a newer one.
      writing = writing.then(() => writeState(folder(env), name, { place, ...position }))
      return writing
    },
  }
}

/** The kernel releases this lock when the process dies, even after kill -9. @throws PlaceTaken */
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
      'Another `causeway listen` already forwards the events of this business to this URL. Stop it first, or forward to another URL.',
    )
  }
}

/** Reads the signing secret of this user's listeners, or generates it. @returns `whsec_…` */
export async function listenSecret(env: Env): Promise<string> {
  const { secret } = (await readState(folder(env), 'secret.json')) ?? {}
  if (typeof secret === 'string') return secret
  const drawn = `whsec_${randomBytes(32).toString('base64')}`
  await writeState(folder(env), 'secret.json', { secret: drawn })
  return drawn
}
