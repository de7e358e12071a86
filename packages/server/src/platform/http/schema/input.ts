// Between reading a request and validating it: query text becomes the type of its schema, an absent optional body an empty object.

import type { App } from '../app.ts'

type ObjectSchema = { properties?: Record<string, { type?: unknown }>; required?: string[]; minProperties?: number }

/** Converts the input of each request before its validation. */
export function prepareInput(app: App): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const { querystring, body } = request.routeOptions.schema ?? {}
    if (querystring) convertQuery(request.query as Record<string, unknown>, querystring as ObjectSchema)
    if (body && request.body === undefined && isOptionalBody(body)) request.body = {}
    done()
  })
}

/** Tells whether a body may be left out: nothing of it is required. */
export function isOptionalBody(body: unknown): boolean {
  const { required = [], minProperties = 0, properties } = body as ObjectSchema
  return properties !== undefined && required.length === 0 && minProperties === 0
}

/** Text that does not read as its type stays text, and the validator says so. */
function convertQuery(query: Record<string, unknown>, { properties }: ObjectSchema): void {
  for (const [name, text] of Object.entries(query))
    if (typeof text === 'string') query[name] = converted(text, properties?.[name]?.type)
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
