// Judges an adapter: each story of the table is a test. A story about a part that is null is skipped,
// once the page "Provider capabilities" says what happens without the part.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProviderError } from '../../src/provider/port.ts'
import { assertExplained } from './capabilities.ts'
import { type Candidate, openWorldOf, type Part, type World } from './worlds.ts'

export type Story = {
  number: number
  name: string
  needs: readonly Part[]
  run(world: World): Promise<void>
}

/** @param needs the parts that the story is about; the types of the story have no others */
export function story<Parts extends Part>(
  number: number,
  name: string,
  needs: readonly Parts[],
  run: (world: World<Parts>) => Promise<void>,
): Story {
  return { number, name, needs, run }
}

/** One emulator for all stories, which run one after the other: a story may kill it. */
export function judge(kind: string, candidate: Candidate, stories: readonly Story[]): void {
  describe(`the adapter for ${kind}`, () => {
    let world: Awaited<ReturnType<typeof openWorldOf>>
    before(async () => {
      world = await openWorldOf(candidate)
    })
    after(() => world[Symbol.asyncDispose]())
    for (const { number, name, needs, run } of stories)
      test(`${number}: ${name}`, async (t) => {
        world.wire.heal()
        const notBuilt = needs.filter((part) => world.provider[part] === undefined)
        assert.deepEqual(notBuilt, [], 'every part is there, or is null')
        const absent = needs.filter((part) => world.provider[part] === null)
        for (const part of absent) assertExplained(part)
        if (absent.length > 0) t.skip(`not judged: the adapter has no ${absent.join(', ')}`)
        else await run(world).catch(asFailedStory)
      })
  })
}

/** A call that fails against the expectation of the story breaks the contract, as a wrong result does. */
function asFailedStory(cause: unknown): never {
  if (!(cause instanceof ProviderError)) throw cause
  throw new assert.AssertionError({ message: `${cause.message}: ${cause.cause ?? cause.reason}` })
}
