// The types of the packed SDK in a program that knows Node and no browser.
import { type ApiError, Causeway } from '@causeway/sdk'
import { sign } from '@causeway/sdk/webhooks'

export const api = new Causeway({ baseUrl: 'https://causeway.example.com', apiKey: 'svc_test_x', fetch })
export const codeOf = (error: ApiError): string => error.code
export const headers = await sign(Buffer.from(''), 'whsec_AAAA')
