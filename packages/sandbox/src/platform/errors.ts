// The provider's error bodies: every refusal on the wire is made here, so each shape is written once.

/** An expected refusal, answered with its status and body. Any other error is a bug and is answered with 500. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>

  constructor(status: number, body: { code: string; message: string } & Record<string, unknown>) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

/** Field (dotted path) to message: the shape in which the provider reports invalid input. */
export type Problems = Record<string, string>

export const refuse = (status: number, code: string, message: string): Refusal => new Refusal(status, { code, message })

export const invalidParameters = (location: 'query' | 'body', key: Problems): Refusal =>
  new Refusal(400, {
    code: 'invalid_parameters',
    message: 'Please resubmit the following parameters that are either missing or invalid',
    source: { location, key },
  })

/** Makes the 404 of an unknown id; `noun` is the provider's own, such as "customer" or "virtual account". */
export const unknownId = (noun: string): Refusal => refuse(404, 'Invalid', `Unknown ${noun} id`)

export const unknownPath = (method: string, path: string): Refusal =>
  refuse(404, 'not_found', `There is no ${method} ${path}`)

export const unauthorized = (code: 'required' | 'invalid'): Refusal =>
  new Refusal(401, {
    code,
    location: 'header',
    name: 'Api-Key',
    message: code === 'required' ? 'Missing Api-Key header' : 'Invalid Api-Key header',
  })

export const badHeader = (name: string, message: string): Refusal =>
  new Refusal(400, { code: 'bad_request', message, source: { location: 'header', key: { [name]: message } } })

/** The body of a 500, the only error that is a list. */
export const unexpectedBody = {
  errors: [{ code: 'unexpected', message: 'An expected error occurred, you may try again later' }],
}
