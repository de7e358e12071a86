// Virtual accounts in three currencies: opened, shown to the payer, led elsewhere, closed and opened again.

import assert from 'node:assert/strict'
import { ValidationError, type VirtualAccount } from '@causeway/sdk'
import { chapter, saw } from './tell.ts'
import { EVM_WALLET, SOLANA_WALLET } from './wallets.ts'
import type { World } from './world.ts'

export type Accounts = Readonly<Record<'usd' | 'eur' | 'mxn', VirtualAccount>>

const USDC_ON_SOLANA = { payment_rail: 'solana', currency: 'usdc', address: SOLANA_WALLET }
const EURC_ON_SOLANA = { payment_rail: 'solana', currency: 'eurc', address: SOLANA_WALLET }
const EURC_ON_BASE = { payment_rail: 'base', currency: 'eurc', address: EVM_WALLET }

/** Bank details that a payer needs, by rail. */
const DETAILS: Readonly<Record<string, readonly string[]>> = {
  ach_push: ['accountNumber', 'routingNumber'],
  wire: ['accountNumber', 'routingNumber'],
  fednow: ['accountNumber', 'routingNumber'],
  sepa: ['iban', 'bic'],
  spei: ['clabe'],
}

export async function accounts(world: World, externalUserId: string): Promise<Accounts> {
  chapter('Virtual accounts in USD, EUR and MXN')
  const { api, events, idOf } = world

  const open = (currency: 'usd' | 'eur', destination: typeof USDC_ON_SOLANA, developer_fee_percent: string) =>
    api.virtualAccounts.create(
      { externalUserId, source: { currency }, destination, developer_fee_percent },
      { idempotencyKey: idOf(`account-${currency}`) }, // named after our own record: a repeat opens no second account
    )
  const usd = await open('usd', USDC_ON_SOLANA, '0.5')
  const eur = await open('eur', EURC_ON_BASE, '1')
  assert.equal((await open('usd', USDC_ON_SOLANA, '0.5')).id, usd.id)
  saw('USD and EUR are open; the same request again is the same account')

  const found = new Map<string, VirtualAccount>()
  for await (const account of api.virtualAccounts.list({ externalUserId, limit: 1 }))
    found.set(account.sourceCurrency, account)
  assert.deepEqual([...found.keys()].sort(), ['eur', 'mxn', 'usd'])
  const mxn = found.get('mxn') as VirtualAccount
  saw('the list, read page by page, has all three')

  for (const account of [usd, eur, mxn]) saw(`a payer sees ${await instructionsOf(world, account)}`)

  const moved = await api.virtualAccounts.update(eur.id, { destination: EURC_ON_SOLANA })
  assert.equal(moved.destinationAddress, SOLANA_WALLET)
  const told = await events.account(eur.id, 'virtual_account.updated')
  assert.equal(told.destinationPaymentRail, 'solana')
  const typo = { ...USDC_ON_SOLANA, address: SOLANA_WALLET.replace('7VHU', '7VHUU') }
  await assert.rejects(
    api.virtualAccounts.update(eur.id, { destination: typo }),
    (error) => error instanceof ValidationError && error.code === 'invalid_destination_address',
  )
  saw('EUR goes to another wallet; an address with a typo is refused')

  await api.virtualAccounts.deactivate(eur.id)
  assert.equal((await events.account(eur.id, 'virtual_account.deactivated')).status, 'deactivated')
  const closed = await api.virtualAccounts.depositInstructions(eur.id)
  assert.deepEqual(closed.instructions, [])
  await api.virtualAccounts.reactivate(eur.id)
  assert.equal((await events.account(eur.id, 'virtual_account.reactivated')).status, 'active')
  saw('EUR is deactivated, has nothing to show a payer, and is reactivated')

  return { usd, eur: moved, mxn }
}

async function instructionsOf({ api }: World, account: VirtualAccount): Promise<string> {
  const { instructions } = await api.virtualAccounts.depositInstructions(account.id)
  assert.ok(instructions.length > 0)
  for (const { rail, details } of instructions) {
    const names: string[] = details.map((detail) => detail.name)
    for (const name of DETAILS[rail] ?? []) assert.ok(names.includes(name), `${rail} lacks ${name}`)
  }
  const [{ details } = { details: [] }] = instructions
  const shown = details.slice(0, 2).map(({ label, value }) => `${label} ${value}`)
  return `${instructions.map(({ rail }) => rail).join(', ')}: ${shown.join(', ')}`
}
