// Between businesses: two walls, each of which must be missed when it is gone.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { Change, PlantedBug } from '../planted-bug.ts'

const rules = 'packages/server/src/platform/postgres/row-security.sql'
const scope = 'packages/server/src/platform/postgres/session.ts'
const scoping = 'packages/server/test/business-scope.test.ts'
const securing = 'packages/server/test/row-security.test.ts'

/** Without the second wall, a gap in the first one shows. */
const secondWallOpen: Change = {
  file: rules,
  find: "using (%s) with check (%2$s)', fenced, condition)",
  replace: "using (true) with check (true)', fenced, condition)",
}

export const isolationBugs: readonly PlantedBug[] = [
  {
    ...secondWallOpen,
    name: 'policy-that-lets-all-through',
    promise: 'a business sees its own rows alone, whatever a statement asks for',
    caughtBy: [{ file: securing, test: 'a business sees its own rows alone, in every table' }],
  },
  {
    name: 'agreement-used-by-two',
    promise: 'a signed agreement counts for one end-user of the whole deployment',
    file: 'packages/server/src/end-users/kyc/agreements.store.ts',
    find: 'return own.length > 0',
    replace: 'return own.length >= 0',
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc-agreements.test.ts',
        test: '422 the agreement of another end-user, of this business or of another one',
      },
    ],
  },
  {
    name: 'row-security-not-forced',
    promise: 'row security holds for the owner of the tables too',
    file: rules,
    find: 'enable row level security, force row level security',
    replace: 'enable row level security',
    caughtBy: [{ file: securing, test: 'every table of a business is behind the wall' }],
  },
  {
    name: 'a-table-without-row-security',
    promise: 'every table of a business is behind the second wall',
    file: rules,
    find: "true)', fenced.key));",
    replace: "true)', fenced.key)) where fenced.name <> 'deposits';",
    caughtBy: [{ file: securing, test: 'every table of a business is behind the wall' }],
  },
  {
    name: 'scope-of-a-business-stays',
    promise: 'the scope of a business ends with its transaction: the connection goes back as it came',
    file: scope,
    find: 'begin; set local role causeway_business; set local causeway.business_id',
    replace: 'begin; set role causeway_business; set causeway.business_id',
    caughtBy: [{ file: scoping, test: 'the scope ends with its transaction' }],
  },
  {
    name: 'end-user-of-anybody',
    promise: 'a business does not see the end-users of another',
    file: 'packages/server/src/end-users/store.ts',
    find: 'where business_id = ${businessId} and external_user_id = ${externalUserId}`',
    replace: 'where external_user_id = ${externalUserId}`',
    also: [secondWallOpen],
    caughtBy: [
      {
        file: 'packages/server/test/http/get-end-user.test.ts',
        test: '404 another business is answered as if the end-user did not exist',
      },
    ],
  },
  {
    name: 'event-of-anybody',
    promise: 'a business does not see the events of another',
    file: 'packages/server/src/events/store.ts',
    find: '`select * from events where business_id = ${businessId} and id = ${id}`',
    replace: '`select * from events where id = ${id}`',
    also: [secondWallOpen],
    caughtBy: [
      {
        file: 'packages/server/test/http/get-event.test.ts',
        test: '404 another business’s event reads exactly as one that is not there',
      },
    ],
  },
  {
    name: 'endpoint-of-anybody',
    promise: 'a business does not see the webhook endpoints of another',
    file: 'packages/server/src/webhooks/endpoints/store.ts',
    find: 'where e.business_id = ${businessId}`',
    replace: "where ${businessId} <> ''`",
    also: [secondWallOpen],
    caughtBy: [
      {
        file: 'packages/server/test/http/get-webhook-endpoint.test.ts',
        test: "404 an absent one, and another business's byte for byte the same",
      },
    ],
  },
  {
    name: 'list-of-anybody',
    promise: 'a list holds rows of its business alone',
    file: 'packages/server/src/end-users/store.ts',
    find: 'select ${selected} where u.business_id = ${businessId}',
    replace: "select ${selected} where ${businessId} <> ''",
    also: [secondWallOpen],
    caughtBy: [{ file: 'packages/server/test/http/list-end-users.test.ts', test: '200 no other business sees them' }],
  },
  {
    name: 'foreign-told-apart-from-absent',
    promise: 'what belongs to another business is answered, byte for byte, as what is not there',
    file: 'packages/server/src/end-users/service.ts',
    find: "if (!row) throw fail('holder_not_found', { param: 'externalUserId' })",
    replace: `if (row) return row
  const theirs = await query\`select 1 from end_users where external_user_id = \${externalUserId}\`
  if (theirs.length > 0) throw fail('holder_not_found', { param: 'externalUserId', message: 'This end-user is not yours.' })
  if (!row) throw fail('holder_not_found', { param: 'externalUserId' })`,
    also: [secondWallOpen],
    caughtBy: [
      {
        file: 'packages/server/test/http/get-end-user.test.ts',
        test: '404 another business is answered as if the end-user did not exist',
      },
    ],
  },
  {
    name: 'taken-address-told-across-businesses',
    promise: 'nobody learns from a refusal that an e-mail address is a customer of another business',
    file: 'packages/server/src/end-users/kyc/customers.ts',
    find: 'if (await deps.db.read((query) => isHeldWithin(query, providerOf(deps.config), businessId, holders))) {',
    replace: 'if (holders.length > 0) {',
    caughtBy: [
      {
        file: 'packages/server/test/http/submit-kyc.test.ts',
        test: 'an e-mail address of another business’s customer is refused',
      },
    ],
  },
]
