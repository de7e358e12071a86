// The contract of a provider's adapter: a bug in the adapter for Bridge for each story.

import type { PlantedBug } from '../../planted-bug.ts'

const bridge = 'packages/server/src/provider/bridge'
const contract = 'packages/server/test/provider-contract'

const story = (stories: string, test: string) => [
  { file: `${contract}/bridge.test.ts`, test, titles: `${contract}/stories/${stories}.ts` },
]

export const contractBugs: readonly PlantedBug[] = [
  {
    name: 'ping-asks-nobody',
    promise: 'a ping tells whether the key is accepted',
    file: `${bridge}/bridge.ts`,
    find: 'ping: async () => void (await client.listWebhooks()),',
    replace: 'ping: async () => undefined,',
    caughtBy: story('customers', 'the key is accepted, and a wrong one is refused as nothing else is'),
  },
  {
    name: 'return-address-loses-the-link',
    promise: 'a link to the terms with another return address leads to the same terms',
    file: `${bridge}/terms.ts`,
    find: "url.searchParams.set('redirect_uri', returnTo)",
    replace: 'url.search = String(new URLSearchParams({ redirect_uri: returnTo }))',
    caughtBy: story('customers', 'an agreement counts once it is signed'),
  },
  {
    name: 'reason-for-the-developer-shown',
    promise: 'a reason that is for the developer is not shown to the end-user',
    file: `${bridge}/wire/customer.ts`,
    find: ".map((entry) => text(entry, 'reason'))",
    replace: ".map((entry) => text(entry, 'developer_reason', 'reason'))",
    caughtBy: story('customers', 'a photo is asked for again, and a refusal is final'),
  },
  {
    name: 'key-renewed-by-a-repeat',
    promise: 'a creation that is repeated has the key of the first try',
    file: `${bridge}/client.ts`,
    find: "'idempotency-key': write.key",
    replace: "'idempotency-key': crypto.randomUUID() + write.key.slice(0, 0)",
    caughtBy: story('lost-customers', 'a creation that is lost creates one customer'),
  },
  {
    name: 'numbers-on-the-first-rail-alone',
    promise: 'an account has bank details for each of its rails',
    file: `${bridge}/accounts.ts`,
    find: 'map((rail) => ({ rail, numbers }))',
    replace: 'map((rail, at) => ({ rail, numbers: at === 0 ? numbers : {} }))',
    caughtBy: story('accounts', 'an account can be paid to on each of its rails'),
  },
  {
    name: 'opening-under-a-key-of-its-own',
    promise: 'an opening that is repeated opens no second account',
    file: `${bridge}/accounts.ts`,
    find: 'inputOf(terms), write)',
    replace: 'inputOf(terms), { ...write, key: crypto.randomUUID() })',
    caughtBy: story('accounts', 'an opening that is lost opens one account'),
  },
  {
    name: 'fee-lost-in-a-change',
    promise: 'a change of an account changes all that it names',
    file: `${bridge}/accounts.ts`,
    find: 'return { ...fees, ...(destination && { destination: targetOf(destination) }) }',
    replace: 'return destination ? { destination: targetOf(destination) } : fees',
    caughtBy: story('accounts', 'a change that is lost holds after its repeat'),
  },
  {
    name: 'activity-of-another-account',
    promise: 'an activity names the account that it is of',
    file: `${bridge}/wire/activity.ts`,
    find: "virtualAccountId: text(body, 'virtual_account_id')",
    replace: "virtualAccountId: text(body, 'deposit_id', 'virtual_account_id')",
    caughtBy: story('deposits', 'a deposit ends the same, whatever order its reports have'),
  },
  {
    name: 'subtotal-of-the-other-form',
    promise: 'an amount is exact or unknown, in either form of receipt',
    file: `${bridge}/wire/activity.ts`,
    find: "subtotal: decimal(receipt, 'subtotal_amount')",
    replace: "subtotal: decimal(receipt, 'pre_conversion_subtotal_amount') ?? decimal(receipt, 'subtotal_amount')",
    caughtBy: story('deposits', 'the amounts of 200 deposits are exact or null'),
  },
  {
    name: 'signature-over-the-parsed-body',
    promise: 'an event is verified over its bytes as they came',
    file: `${bridge}/events.ts`,
    find: 'header: signatureOf(headers), rawBody, publicKeys, nowMs',
    replace: 'header: signatureOf(headers), rawBody: Buffer.from(rawBody.toString().trim()), publicKeys, nowMs',
    caughtBy: story('events', 'an altered event is never verified'),
  },
  {
    name: 'event-about-a-person-not-sealed',
    promise: 'an event with data about people is sealed at rest',
    file: `${bridge}/wire/event.ts`,
    find: "isAboutPeople: category === 'customer' || category === 'kyc_link'",
    replace: "isAboutPeople: category === 'kyc_link'",
    caughtBy: story('events', 'every event is read, has an owner, and is sealed if it is about people'),
  },
  {
    name: 'walk-stays-on-its-first-page',
    promise: 'lost events are found by a walk over all pages',
    file: `${bridge}/deposits.ts`,
    find: 'client.listAllActivity(page)',
    replace: 'client.listAllActivity({ ...page, startingAfter: undefined } as never)',
    caughtBy: story('events', 'every deposit and verdict is found without webhooks'),
  },
  {
    name: 'customer-without-an-id',
    promise: 'a response without an ID makes no object',
    file: `${bridge}/wire/customer.ts`,
    find: "id: requiredText(customer, 'customer', 'id')",
    replace: "id: text(customer, 'id') ?? 'unknown'",
    caughtBy: story('failures', 'an odd response makes no object and no loop'),
  },
  {
    name: 'refusal-by-another-term',
    promise: 'a refusal comes with the reason in our words',
    file: `${bridge}/wire/errors.ts`,
    find: "['developer_limits_exceeded', 'limit_reached']",
    replace: "['developer_limits_exceeded', 'not_enabled']",
    caughtBy: story('failures', 'each refusal comes in our words'),
  },
  {
    name: 'id-as-several-parts-of-a-path',
    promise: 'an ID names no other resource than its own',
    file: `${bridge}/client.ts`,
    find: 'const account = (customerId: string, id: string) => path`',
    replace: 'const account = (customerId: string, id: string) => `',
    caughtBy: story('failures', 'what an adapter lacks, it says beforehand'),
  },
  {
    name: 'code-with-what-was-sent',
    promise: 'a failure has nothing of a submission in its message',
    file: `${bridge}/wire/errors.ts`,
    find: 'return code && /^[a-z][\\w.]{0,63}$/i.test(code) ? code : null',
    replace: 'return code || null',
    caughtBy: story('failures', 'no data of a submission is in logs, traces and failures'),
  },
]
