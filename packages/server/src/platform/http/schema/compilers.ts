// What Fastify makes of schemas, each schema compiled once in a process: of the 187 schemas of all routes 71 differ, and
// to compile them is most of what it costs to make the edge.

import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { App } from '../app.ts'
import { validatorOptions } from './validation.ts'

const makeValidator = AjvCompiler()({}, validatorOptions)
const makeSerializer = SerializerSelector()()

const validatorOf: FastifySchemaCompiler<unknown> = oncePerSchema(makeValidator)
const serializerOf: FastifySerializerCompiler<unknown> = oncePerSchema(({ httpStatus = 'default', ...route }) =>
  makeSerializer({ httpStatus, ...route }),
)

/** Lets all servers of a process have their validators and serializers in common. No schema of theirs refers to another. */
export function compileSchemas(app: App): void {
  app.setValidatorCompiler(validatorOf)
  app.setSerializerCompiler(serializerOf)
}

function oncePerSchema<Route extends { schema?: unknown }, Compiled>(compile: (route: Route) => Compiled) {
  const compiled = new Map<string, Compiled>()
  return (route: Route): Compiled => {
    const text = JSON.stringify(route.schema)
    const known = compiled.get(text) ?? compile(route)
    compiled.set(text, known)
    return known
  }
}
