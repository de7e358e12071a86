// What checks a request and writes its answer is made of a route's schemas when it is first needed, or soon after the server
// has begun to listen, and so are the compilers themselves. All of it before would be a quarter of a start's processor time.

import { createRequire } from 'node:module'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyServerOptions } from 'fastify'
import type { App } from '../app.ts'

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>

/** Made of a schema: checks a value, and tells on itself what it found; or writes it. */
type Made = { (data: unknown): unknown; errors?: unknown }
type Compiler = (part: unknown) => Made
type Build = (schemas: unknown, options: unknown) => Compiler

export type LateCompilers = {
  /** For the server's options. */
  schemaController: SchemaController
  /** Makes what is still missing soon after the server listens, one a turn: nobody waits longer than for one. */
  makeSoon(app: App): void
}

const makeAfterMs = 500
// The compilers are Fastify's own, which it reads for each server that is not told of others.
const requireOfFastify = createRequire(createRequire(import.meta.url).resolve('fastify'))

export function lateCompilers(): LateCompilers {
  const open: (() => unknown)[] = []
  const late = (name: string): Build => {
    return (schemas, options) => {
      const compiler = once(() => (requireOfFastify(name) as () => Build)()(schemas, options))
      return (part) => {
        const get = once(() => compiler()(part))
        open.push(get)
        return lateOne(get)
      }
    }
  }
  const compilersFactory = {
    buildValidator: late('@fastify/ajv-compiler'),
    buildSerializer: late('@fastify/fast-json-stringify-compiler'),
  } as NonNullable<SchemaController['compilersFactory']>
  return {
    schemaController: { compilersFactory },
    makeSoon(app) {
      app.addHook('onListen', (done) => {
        void makeAll(app, open)
        done()
      })
    },
  }
}

function lateOne(get: () => Made): Made {
  const one: Made = (data) => {
    const made = get()
    const outcome = made(data)
    one.errors = made.errors
    return outcome
  }
  return one
}

function once<T>(make: () => T): () => T {
  let made: { it: T } | undefined
  return () => {
    made ??= { it: make() }
    return made.it
  }
}

async function makeAll(app: App, open: (() => unknown)[]): Promise<void> {
  await delay(makeAfterMs, undefined, { ref: false })
  for (let make = open.pop(); make !== undefined && !app.closing; make = open.pop()) {
    make()
    await nextTurn()
  }
}
