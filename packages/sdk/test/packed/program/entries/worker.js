// What worker.mjs runs.
import { sign, verify } from '@causeway/sdk/webhooks'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"event_id":"evt_1","event_type":"end_user.created","api_version":"v0","data":{}}'
globalThis.done = sign(body, secret).then(async (headers) => (await verify(body, headers, secret)).type)
