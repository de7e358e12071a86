// What checks a request and writes its answer is made of a route's schemas when it is first needed, or soon after the server
// has begun to listen. All of it before would be a quarter of a start's processor time.

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifySchemaCompiler, RouteOptions } from 'fastify'
import type { App } from './app.ts'

type Validator = ReturnType<FastifySchemaCompiler<unknown>>

const makeAfterMs = 500

/** Before the routes. */
export function compileWhenNeeded(app: App): void {
  const open: (() => unknown)[] = []
  const later = <T>(make: () => T): (() => T) => {
    let made: { it: T } | undefined
    const get = (): T => {
      made ??= { it: make() }
      return made.it
    }
    open.push(get)
    return get
  }
  let hasCompilers = false
  app.addHook('onRoute', (route) => {
    // Fastify makes its compilers for the first route that wants both.
    if (!hasCompilers) {
      hasCompilers = wantsBoth(route)
      return
    }
    route.validatorCompiler = (part) => {
      const validator = later(() => compilerOf(app.validatorCompiler)(part))
      const validate: Validator = (data) => {
        const made = validator()
        const outcome = made(data)
        validate.errors = made.errors ?? null
        return outcome
      }
      return validate
    }
    route.serializerCompiler = (part) => {
      const serializer = later(() => compilerOf(app.serializerCompiler)(part))
      return (data) => serializer()(data)
    }
  })
  app.addHook('onListen', (done) => {
    void makeAll(app, open)
    done()
  })
}

/** One a turn, so that nobody waits longer than for one. */
async function makeAll(app: App, open: (() => unknown)[]): Promise<void> {
  await delay(makeAfterMs, undefined, { ref: false })
  for (let make = open.pop(); make !== undefined && !app.closing; make = open.pop()) {
    make()
    await nextTurn()
  }
}

function wantsBoth({ schema }: RouteOptions): boolean {
  const { body, querystring, params, response } = schema ?? {}
  return response !== undefined && (body ?? querystring ?? params) !== undefined
}

function compilerOf<T>(compiler: T | undefined): T {
  if (compiler === undefined) throw new Error('no route made Fastify set up its compilers')
  return compiler
}
