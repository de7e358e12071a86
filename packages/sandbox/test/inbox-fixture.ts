// A sender for the inbox that signs with the reference library of Standard Webhooks and shares no code with the inbox.
import { randomBytes, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export type Delivery = {
  id?: string
  body?: string
  /** The signing secret. Without it the delivery is unsigned. */
  secret?: string
  sentAt?: Date
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Posts one delivery. @returns the response status */
export const deliver = async (address: string, delivery: Delivery = {}): Promise<number> => {
  const { id = `msg_${randomUUID()}`, body = '{"event_id":"evt_1"}', secret, sentAt = new Date(), headers } = delivery
  const signed = secret && {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
  }
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed, ...headers },
    body,
    redirect: 'manual',
    ...(delivery.signal && { signal: delivery.signal }),
  })
  await response.arrayBuffer()
  return response.status
}
