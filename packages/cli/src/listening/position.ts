// Where a listener stands: one file for each deployment, key and target, written whole after each answer of the target.

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Env, readState, writeState } from '../local-state.ts'
import { configFolder } from '../profile/store.ts'

export type Position = {
  /** The cursor behind everything that was answered; null before the first. */
  cursor: string | null
  /** Events behind the cursor that the target has answered already. */
  answered: readonly string[]
}

export type PositionStore = { position(): Position; write(position: Position): Promise<void> }

const folder = (env: Env): string => join(configFolder(env), 'listen')

/** @param place what tells one listener from another: deployment, business, target */
export async function openPosition(env: Env, place: readonly string[]): Promise<PositionStore> {
  const name = `${createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 32)}.json`
  const { cursor, answered } = (await readState(folder(env), name)) ?? {}
  const known = Array.isArray(answered) ? answered.filter((id) => typeof id === 'string') : []
  let current: Position = { cursor: typeof cursor === 'string' ? cursor : null, answered: known }
  let writing = Promise.resolve()
  return {
    position: () => current,
    write(position) {
      current = position
      // One after the other: an older position never replaces a newer one.
      writing = writing.then(() => writeState(folder(env), name, { place, ...position }))
      return writing
    },
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
