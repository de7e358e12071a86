// GET /v0/capabilities

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openWorld } from '../world.ts'

// Additions of an operator are listed like the rest; the sandbox provider does not know them.
const added =
  '{"fiat":{"mxn":{"depositRails":["codi"]}},"chains":{"sei":{"addressFamily":"evm","currencies":["usdc"]}}}'
const world = await openWorld({
  alone: true,
  env: { DEVELOPER_FEE_PERCENT_MAX: '2.5', RATE_LIMIT_REQUESTS: '5000', RAILS: added },
})
after(() => world.stop())
const { call } = world.business
const capabilities = async () => (await call('GET', '/v0/capabilities')).body.data

test('200 currencies with their bank rails, chains with their tokens, limits, mode and the origin to believe', async () => {
  const data = await capabilities()
  assert.equal(data.mode, 'sandbox')
  assert.equal(data.tosOrigin, world.provider.origin)
  const rails = Object.fromEntries(
    data.source.map((row: { currency: string; depositRails: string[] }) => [row.currency, row.depositRails]),
  )
  assert.deepEqual(
    ['usd', 'eur', 'mxn'].map((currency) => rails[currency]),
    [['ach_push', 'wire', 'fednow'], ['sepa'], ['spei', 'codi']],
  )
  const least = (row: { currency: string; minimumAmount: string }) => [row.currency, row.minimumAmount]
  assert.deepEqual(Object.fromEntries(data.source.map(least)), {
    usd: '1',
    eur: '1',
    mxn: '50',
    brl: '10',
    gbp: '3',
    cop: '100',
  })
  const withMemo = data.destination.filter((row: { memo: boolean }) => row.memo)
  assert.deepEqual(
    withMemo.map((row: { payment_rail: string }) => row.payment_rail),
    ['stellar', 'tempo', 'tron'],
  )
  assert.deepEqual(data.limits, {
    requestsPerWindow: 5_000,
    windowSeconds: 10,
    kycSubmissionsPerMinute: 10,
    destinationChangeDelayMinutes: 0,
    developerFeePercentMax: '2.5',
  })
})

const unknownToTheEmulator = ['usdc on sei']

test('200 every chain and token that is told can be had, and the cap on fees holds', async () => {
  const data = await capabilities()
  const refused: string[] = []
  const user = await world.business.user('approved')
  const evm = '0x52908400098527886E0F7030069857D2E4169EE7'
  const addresses: Record<string, string> = {
    solana: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
    tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    stellar: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  }
  for (const { payment_rail, currencies } of data.destination) {
    for (const currency of currencies) {
      const destination = { payment_rail, currency, address: addresses[payment_rail] ?? evm }
      const body = { externalUserId: user, source: { currency: 'usd' }, destination, developer_fee_percent: '2.5' }
      const answer = await call('POST', '/v0/virtual-accounts', body)
      if (answer.status !== 200) refused.push(`${currency} on ${payment_rail}`)
      const dear = await call('POST', '/v0/virtual-accounts', { ...body, developer_fee_percent: '2.5001' })
      assert.equal(dear.body.error.code, 'invalid_developer_fee_percent')
    }
  }
  assert.deepEqual(refused, unknownToTheEmulator)
})
