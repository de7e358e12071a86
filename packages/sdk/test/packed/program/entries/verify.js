// A receiver that checks signatures.
export { SignatureError, verify } from '@causeway/sdk/webhooks'
