// Provider events of about 1 KB, shaped like a real one: a transfer that progressed. They change no state of Causeway and are
// forwarded like any other event. Also the HTTP requests that carry them.

import type { Tenant } from './product.ts'

export type ProviderEvent = { id: string; body: Buffer }

/** @param prefix makes the ids unique among all rounds on one database */
export function makeEvents(prefix: string, count: number, tenants: readonly Tenant[]): ProviderEvent[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `wh_${prefix}_${String(n).padStart(7, '0')}`
    const tenant = tenants[n % tenants.length]
    const customerId = tenant?.customerIds[Math.floor(n / tenants.length) % tenant.customerIds.length]
    return { id, body: Buffer.from(JSON.stringify(transferEvent(id, customerId ?? ''))) }
  })
}

function transferEvent(id: string, customerId: string): Record<string, unknown> {
  const transferId = `6f1c5a0e-${id.slice(-7)}-4d1f-9a55-1d0e6d0c7a11`
  const at = '2026-11-21T06:30:00.000Z'
  return {
    api_version: 'v0',
    event_id: id,
    event_category: 'transfer',
    event_type: 'transfer.updated.status_transitioned',
    event_object_id: transferId,
    event_object_status: 'payment_submitted',
    event_object: {
      id: transferId,
      state: 'payment_submitted',
      amount: '1250.50',
      currency: 'usd',
      developer_fee: '6.25',
      on_behalf_of: customerId,
      source: {
        currency: 'usd',
        payment_rail: 'ach_push',
        external_account_id: '3a61b7d2-7e83-4f2f-93c2-5f8d2a9b1c40',
      },
      destination: {
        currency: 'usdc',
        payment_rail: 'solana',
        to_address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
      },
      receipt: { initial_amount: '1250.50', developer_fee: '6.25', exchange_fee: '0.00', subtotal_amount: '1244.25' },
      created_at: at,
      updated_at: at,
    },
    event_object_changes: { state: ['funds_received', 'payment_submitted'], updated_at: [at, at] },
    event_created_at: at,
  }
}

/** A GET as it goes over the wire. */
export function getRequest(url: URL, headers: Readonly<Record<string, string>>): Buffer {
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}

/** Head and body as they go over the wire. */
export function postRequest(
  url: URL,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
): Buffer {
  const lines = [
    `${method} ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}
