// Between reading a request and validating it: query text becomes the type of its schema, an absent optional body an empty object.

import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { App } from '../app.ts'

type ObjectSchema = { properties?: Record<string, { type?: unknown }>; required?: string[]; minProperties?: number }

/** Converts the input of each route before its validation. */
export function prepareInput(app: App): void {
  app.addHook('onRoute', (route) => {
    const query = route.schema?.querystring as ObjectSchema | undefined
    const mayLackBody = route.schema?.body !== undefined && isOptionalBody(route.schema.body)
    if (query === undefined && !mayLackBody) return
    const prepare: preValidationHookHandler = (request, _reply, done) => {
      if (query !== undefined) convertQuery(request, query)
      if (mayLackBody && request.body === undefined) request.body = {}
      done()
    }
    route.preValidation = [prepare, ...[route.preValidation ?? []].flat()]
  })
}

/** Tells whether a body may be left out: nothing of it is required. */
export function isOptionalBody(body: unknown): boolean {
  const { required = [], minProperties = 0, properties } = body as ObjectSchema
  return properties !== undefined && required.length === 0 && minProperties === 0
}

/** Text that does not read as its type stays text, and the validator says so. */
function convertQuery(request: FastifyRequest, schema: ObjectSchema): void {
  const query = request.query as Record<string, unknown>
  for (const name of Object.keys(query)) {
    const text = query[name]
    if (typeof text === 'string') query[name] = converted(text, schema.properties?.[name]?.type)
  }
}

function converted(text: string, type: unknown): unknown {
  switch (type) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'array':
      return text.split(',')
  }
  return text
}
