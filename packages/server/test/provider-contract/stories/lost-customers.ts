// Stories of submissions that are lost on their way.

import assert from 'node:assert/strict'
import type { HostedKyc, Terms } from '../../../src/provider/port.ts'
import { failureOf } from '../../provider-world.ts'
import { type Story, story } from '../contract.ts'
import { eachLoss, type Lose } from '../lost-writes.ts'
import {
  companyBody,
  customer,
  freshMail,
  freshWrite,
  personBody,
  signedAgreement,
  type With,
  type World,
} from '../worlds.ts'

export const lostCustomerStories: readonly Story[] = [
  story(7, 'a creation that is lost creates one customer', ['customers'], async (world) => {
    const { customers, traits } = world.provider
    await eachLoss(world, 'customer.create', async (lose, how) => {
      const mail = freshMail()
      const email = `${mail}@example.com`
      const submission = {
        body: personBody(world, mail),
        agreement: await signedAgreement(world),
        reference: `r-${mail}`,
      }
      const before = await world.objects()
      const created = await lose(
        (write, provider) => provider.customers.create(submission, write),
        async () => (await customers.findByEmail(email))[0] ?? null,
      )
      const found = (await customers.findByEmail(email)).map(({ id }) => id)
      assert.deepEqual(found, [created.id], how)
      const { customers: count = 0 } = await world.objects()
      assert.equal(count, (before['customers'] ?? 0) + 1, `${how}: one customer more`)
    })
    if (traits.repeats['customer.create'] === 'same_key') await assertKeyHoldsData(world)
    await loseHostedPages(world)
  }),
  story(8, 'a change that is lost arrives once', ['customers'], async (world) => {
    const subjects = [
      { bodyOf: personBody, lacks: { birth_date: undefined } },
      { bodyOf: companyBody, lacks: { documents: undefined } },
    ]
    for (const { bodyOf, lacks } of subjects) {
      /** @returns how many objects of each kind the change has left */
      const changed = async (lose: Lose<'customers'>, how: string) => {
        const { id, whole, current } = await customer(world, lacks, bodyOf)
        const people = await world.provider.customers.people.list(id)
        const before = await world.objects()
        const { standing } = await lose((write, { customers }) => customers.change(id, whole, current, write))
        assert.equal(standing.id, id)
        assert.equal(standing.verdict, 'under_review', how)
        assert.deepEqual(await world.provider.customers.people.list(id), people)
        const after = await world.objects()
        return Object.fromEntries(Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]))
      }
      const once = await changed((send) => send(freshWrite(), world.provider), 'not lost')
      for (const kind of ['customers', 'virtual_accounts', ...optionalKinds(world.provider)])
        assert.equal(once[kind], 0, `the emulator counts ${kind}, and a change makes none`)
      await eachLoss(world, 'customer.update', async (lose, how) => {
        assert.deepEqual(
          await changed(lose, how),
          once,
          `${how}: the change has left the same objects as one that is not lost`,
        )
      })
    }
  }),
]

/** Kinds of objects that an emulator counts if its provider has them. */
function optionalKinds(provider: object): string[] {
  const { terms, hostedKyc } = provider as { terms?: Terms | null; hostedKyc?: HostedKyc | null }
  return [...(terms ? ['agreements'] : []), ...(hostedKyc?.createForNew ? ['kyc_links'] : [])]
}

/** A key belongs to one request: with other data the provider refuses it, and creates nobody. */
async function assertKeyHoldsData(world: World<'customers'>): Promise<void> {
  const { customers } = world.provider
  const { submission, email } = await customer(world)
  const write = freshWrite()
  const other = freshMail()
  const first = { ...submission, body: { ...submission.body, email: `first-${other}@example.com` } }
  const second = { ...submission, body: { ...submission.body, email: `second-${other}@example.com` } }
  const agreement = await signedAgreement(world)
  await customers.create({ ...first, agreement }, write)
  assert.equal((await failureOf(customers.create({ ...second, agreement }, write))).kind, 'rejected')
  assert.deepEqual(await customers.findByEmail(`second-${other}@example.com`), [])
  assert.equal((await customers.findByEmail(email)).length, 1)
}

/** A page for a person who is new to the provider is a creation as well. */
async function loseHostedPages(world: World<'customers'>): Promise<void> {
  const { hostedKyc } = world.provider as { hostedKyc?: HostedKyc | null }
  if (!hostedKyc?.createForNew) return
  await eachLoss(world, 'kyc_link.create', async (lose, how) => {
    const about = { email: `${freshMail()}@example.com`, type: 'individual', endorsements: [] } as const
    const before = await world.objects()
    const page = await lose(async (write, provider) => {
      const { createForNew } = (provider as unknown as With<'hostedKyc'>).hostedKyc
      return (await createForNew?.({ ...about, endorsements: [] }, write)) ?? assert.fail('no page')
    })
    assert.ok(page.url)
    if (hostedKyc.readPage) assert.equal((await hostedKyc.readPage(page.id)).id, page.id)
    const { kyc_links: count = 0 } = await world.objects()
    assert.equal(count, (before['kyc_links'] ?? 0) + 1, `${how}: one page more`)
  })
}
