// The error bodies of Bridge's wire that the control commands do not share.
import { Refusal, refuse } from '../../platform/errors.ts'

/** Makes the 404 of an unknown id; `noun` is Bridge's own, such as "customer" or "virtual account". */
export const unknownId = (noun: string): Refusal => refuse(404, 'Invalid', `Unknown ${noun} id`)

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

/** The refusals without a field that a fault may order, by code. */
export const refusals = {
  not_allowed: { status: 403, message: 'This feature is not enabled for your account' },
  frozen: { status: 400, message: 'This customer is frozen' },
  duplicate_record: { status: 400, message: 'A record with these parameters already exists' },
  resource_state_conflict: { status: 409, message: 'The resource is being changed, please try again' },
  unprocessable_entity: { status: 422, message: 'The request could not be processed' },
  developer_limits_exceeded: { status: 403, message: 'A limit of your account is exceeded' },
  Invalid: { status: 404, message: 'Unknown customer id' },
}
