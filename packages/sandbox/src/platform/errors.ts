// Refusals and their bodies: a code and a message, and the fields that are invalid.

/** An expected refusal, with its status and body. Any other error is a bug and becomes a 500. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>

  constructor(status: number, body: { code: string; message: string } & Record<string, unknown>) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

/** Field (dotted path) to message: the shape in which invalid input is reported. */
export type Problems = Record<string, string>

export const refuse = (status: number, code: string, message: string): Refusal => new Refusal(status, { code, message })

export const invalidParameters = (location: 'query' | 'body', key: Problems): Refusal =>
  new Refusal(400, {
    code: 'invalid_parameters',
    message: 'Please resubmit the following parameters that are either missing or invalid',
    source: { location, key },
  })

export const unknownPath = (method: string, path: string): Refusal =>
  refuse(404, 'not_found', `There is no ${method} ${path}`)
