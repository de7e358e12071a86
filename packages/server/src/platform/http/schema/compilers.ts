// Compiles each schema once per process, on the first request that needs it. Only 71 of the 187 schemas of all routes
// differ, and compiling all took a quarter of the start-up time.

import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySchema, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { App } from '../app.ts'
import { validatorOptions } from './validation.ts'

const makeValidator = AjvCompiler()({}, validatorOptions)
const makeSerializer = SerializerSelector()()

type Validator = ReturnType<FastifySchemaCompiler<FastifySchema>>
type Answer = Parameters<FastifySerializerCompiler<FastifySchema>>[0]

const validatorOf = oncePerSchema(makeValidator)
const serializerOf = oncePerSchema(({ httpStatus = 'default', ...answer }: Answer) =>
  makeSerializer({ httpStatus, ...answer }),
)

/** Lets all servers of a process share validators and serializers. None of the schemas refers to another. */
export function compileSchemas(app: App): void {
  app.setValidatorCompiler((route) => {
    const compiled = validatorOf(route)
    const use: Validator = (value) => {
      const validate = compiled()
      const isFit = validate(value) === true
      use.errors = validate.errors ?? null
      return isFit
    }
    return use
  })
  app.setSerializerCompiler((route) => {
    const compiled = serializerOf(route)
    return (value) => compiled()(value)
  })
}

function oncePerSchema<Route extends { schema?: unknown }, Compiled>(compile: (route: Route) => Compiled) {
  const known = new Map<string, Compiled>()
  const compiledOf = (route: Route): Compiled => {
    const text = JSON.stringify(route.schema)
    const compiled = known.get(text) ?? compile(route)
    known.set(text, compiled)
    return compiled
  }
  return (route: Route): (() => Compiled) => {
    let compiled: Compiled | undefined
    return () => {
      compiled ??= compiledOf(route)
      return compiled
    }
  }
}
