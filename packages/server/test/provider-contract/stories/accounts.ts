// Stories of accounts: bank details that can be paid to, and changes.

import assert from 'node:assert/strict'
import { type FiatCurrency, fiatCurrencies } from '../../../src/platform/values/rails.ts'
import type { Account, AccountTerms, BankNumbers, Provider } from '../../../src/provider/port.ts'
import { failureOf } from '../../provider-world.ts'
import { type Story, story } from '../contract.ts'
import { eachLoss } from '../lost-writes.ts'
import { approved, freshWrite, type World } from '../worlds.ts'

let serial = 0
/** Terms like no others: an EVM chain that the provider offers, and a fee only where the provider has fees. */
export function termsOf(
  { traits, offer }: Pick<Provider, 'traits' | 'offer'>,
  sourceCurrency: FiatCurrency = 'usd',
): AccountTerms {
  serial += 1
  const [paymentRail = assert.fail('the offer has no EVM chain with usdc')] =
    Object.entries(offer.chains).find(
      ([, chain]) => chain.addressFamily === 'evm' && chain.currencies.includes('usdc'),
    ) ?? []
  return {
    reference: `account-${serial}`,
    sourceCurrency,
    destination: { paymentRail, currency: 'usdc', address: addressOf(serial) },
    ...(traits.fee === 'percent' && { developerFeePercent: '0.5' }),
  }
}

const addressOf = (nth: number): string => `0x${nth.toString(16).padStart(40, 'a')}`

/** Required details by bank rail: without one of them no bank accepts the payment. */
const neededNumbers: Readonly<Record<string, readonly (keyof BankNumbers)[]>> = {
  ach_push: ['accountNumber', 'routingNumber'],
  wire: ['accountNumber', 'routingNumber'],
  fednow: ['accountNumber', 'routingNumber'],
  rtp: ['accountNumber', 'routingNumber'],
  sepa: ['iban', 'bic'],
  spei: ['clabe'],
  pix: ['pixCode'],
  faster_payments: ['accountNumber', 'sortCode'],
  bre_b: ['breBKey'],
}

function assertPayable({ instructions }: Account, currency: string, offered: readonly string[]): void {
  assert.equal(instructions.currency, currency)
  assert.ok(instructions.rails.length > 0, `${currency} has a rail`)
  for (const { rail, numbers } of instructions.rails) {
    // Numbers without a rail are those of every rail of the currency.
    for (const each of rail === null ? offered : [rail]) {
      assert.ok(offered.includes(each), `the offer has ${each} for ${currency}`)
      for (const name of neededNumbers[each] ?? assert.fail(`${each} is new to the stories`))
        assert.ok(numbers[name], `${each} has ${name}`)
    }
  }
}

function assertTerms(account: Account, customerId: string, { destination, developerFeePercent }: AccountTerms): void {
  const { paymentRail, currency, address } = account.destination
  assert.ok(account.customerId === null || account.customerId === customerId)
  assert.equal(account.status, 'activated')
  assert.deepEqual({ paymentRail, currency }, { paymentRail: destination.paymentRail, currency: destination.currency })
  assert.equal(address?.toLowerCase(), destination.address)
  if (developerFeePercent !== undefined) assert.equal(account.developerFeePercent, developerFeePercent)
}

export const accountStories: readonly Story[] = [
  story(9, 'an account can be paid to on each of its rails', ['customers', 'accounts'], async (world) => {
    const { accounts, offer } = world.provider
    const { id: customerId } = await approved(world)
    for (const currency of fiatCurrencies.filter((each) => offer.fiat[each].depositRails.length > 0)) {
      const terms = termsOf(world.provider, currency)
      const account = await accounts.open(customerId, terms, freshWrite())
      assertTerms(account, customerId, terms)
      assertPayable(account, currency, offer.fiat[currency].depositRails)
      assert.deepEqual(await accounts.read(customerId, account.id), account)
      const found = await accounts.findOpened(customerId, terms.reference)
      assert.deepEqual([found.unreadable, found.isCut], [0, false])
      if (found.byReference) assert.equal(found.accounts.length, 1, 'a reference finds its own account')
      assert.deepEqual(
        found.accounts.find(({ id }) => id === account.id),
        account,
      )
    }
  }),
  story(10, 'an opening that is lost opens one account', ['customers', 'accounts'], async (world) => {
    const { accounts, traits } = world.provider
    const { id: customerId } = await approved(world)
    await eachLoss(world, 'virtual_account.create', async (lose, how) => {
      const terms = termsOf(world.provider)
      const ofTerms = async () => {
        const { accounts: all } = await accounts.findOpened(customerId, terms.reference)
        return all.filter(({ destination }) => destination.address?.toLowerCase() === terms.destination.address)
      }
      const { virtual_accounts: before = Number.NaN } = await world.objects()
      const account = await lose(
        (write, provider) => provider.accounts.open(customerId, terms, write),
        async () => (await ofTerms())[0] ?? null,
      )
      assertTerms(account, customerId, terms)
      const active = (await ofTerms()).filter(({ status }) => status === 'activated')
      assert.deepEqual(
        active.map(({ id }) => id),
        [account.id],
        `${how}: one account receives deposits`,
      )
      const { virtual_accounts: count } = await world.objects()
      assert.equal(count, before + 1, `${how}: one account more`)
    })
    if (traits.keyLifeMs !== null) await assertOldKeyOpensNothing(world, customerId, traits.keyLifeMs)
  }),
  story(11, 'a change that is lost holds after its repeat', ['customers', 'accounts'], async (world) => {
    const { accounts, traits } = world.provider
    const { id: customerId } = await approved(world)
    const { id } = await accounts.open(customerId, termsOf(world.provider), freshWrite())
    const read = () => accounts.read(customerId, id)
    if (traits.canChange.destination)
      await eachLoss(world, 'virtual_account.update', async (lose) => {
        const { destination } = termsOf(world.provider)
        const fee = traits.canChange.fee ? { developerFeePercent: `${1 + (serial % 9)}.25` } : {}
        const change = { destination, ...fee }
        const isThere = (account: Account) => account.destination.address?.toLowerCase() === destination.address
        await lose(
          (write, provider) => provider.accounts.change(customerId, id, change, write),
          async () => [await read()].find(isThere) ?? null,
        )
        const account = await read()
        assert.ok(isThere(account))
        if (fee.developerFeePercent) assert.equal(account.developerFeePercent, fee.developerFeePercent)
      })
    for (const [kind, to, from] of switches)
      await eachLoss(world, kind, async (lose, how) => {
        if ((await read()).status !== from) await accounts.switch(customerId, id, from, freshWrite())
        const isDone = async () => {
          const account = await read()
          return account.status === to ? account : null
        }
        await lose((write, provider) => provider.accounts.switch(customerId, id, to, write), isDone)
        assert.equal((await read()).status, to, how)
      })
  }),
]

const switches = [
  ['virtual_account.deactivate', 'deactivated', 'activated'],
  ['virtual_account.reactivate', 'activated', 'deactivated'],
] as const

/** After the life of its key a write is not repeated; if it is, it has no effect. */
async function assertOldKeyOpensNothing({ provider, control }: World<'accounts'>, customerId: string, lifeMs: number) {
  const [terms, write] = [termsOf(provider), freshWrite()]
  const { id } = await provider.accounts.open(customerId, terms, write)
  assert.equal((await provider.accounts.open(customerId, terms, write)).id, id)
  await control.moveClock(lifeMs / 1_000 + 3_600)
  assert.equal((await failureOf(provider.accounts.open(customerId, terms, write))).kind, 'rejected')
}
