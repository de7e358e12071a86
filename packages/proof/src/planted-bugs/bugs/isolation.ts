// Between businesses: two walls, each of which must be missed when it is gone.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `find` holds product code as a string.

import type { Change, PlantedBug } from '../planted-bug.ts'

/** Without the second wall, a gap in the first one shows. */
const secondWallOpen: Change = {
  in: 'server',
  find: "using (%s) with check (%2$s)', fenced, condition)",
  replace: "using (true) with check (true)', fenced, condition)",
}

export const isolationBugs: readonly PlantedBug[] = [
  {
    ...secondWallOpen,
    name: 'policy-that-lets-all-through',
    promise: 'a business sees its own rows alone, whatever a statement asks for',
    row: 7,
    caughtBy: ['a business sees its own rows alone, in every table'],
  },
  {
    name: 'agreement-used-by-two',
    promise: 'a signed agreement counts for one end-user of the whole deployment',
    row: null,
    in: 'server',
    find: 'return own.length > 0',
    replace: 'return own.length >= 0',
    caughtBy: ['422 the agreement of another end-user, of this business or of another one'],
  },
  {
    name: 'row-security-not-forced',
    promise: 'row security holds for the owner of the tables too',
    row: 7,
    in: 'server',
    find: 'enable row level security, force row level security',
    replace: 'enable row level security',
    caughtBy: ['every table of a business is behind the wall'],
  },
  {
    name: 'a-table-without-row-security',
    promise: 'every table of a business is behind the second wall',
    row: 7,
    in: 'server',
    find: "true)', fenced.key));",
    replace: "true)', fenced.key)) where fenced.name <> 'deposits';",
    caughtBy: ['every table of a business is behind the wall'],
  },
  {
    name: 'scope-of-a-business-stays',
    promise: 'the scope of a business ends with its transaction: the connection goes back as it came',
    row: 7,
    in: 'server',
    find: "['begin', ...settingSql('set local', local)]",
    replace: "['begin', ...settingSql('set', local)]",
    caughtBy: ['the scope ends with its transaction'],
  },
  {
    name: 'end-user-of-anybody',
    promise: 'a business does not see the end-users of another',
    row: 7,
    in: 'server',
    find: 'where business_id = ${businessId} and external_user_id = ${externalUserId}`',
    replace: 'where external_user_id = ${externalUserId}`',
    also: [secondWallOpen],
    caughtBy: ['404 another business is answered as if the end-user did not exist'],
  },
  {
    name: 'event-of-anybody',
    promise: 'a business does not see the events of another',
    row: 7,
    in: 'server',
    find: '`select * from events where business_id = ${businessId} and id = ${id}`',
    replace: '`select * from events where id = ${id}`',
    also: [secondWallOpen],
    caughtBy: ['404 another business’s event reads exactly as one that is not there'],
  },
  {
    name: 'endpoint-of-anybody',
    promise: 'a business does not see the webhook endpoints of another',
    row: 7,
    in: 'server',
    find: 'where e.business_id = ${businessId}`',
    replace: "where ${businessId} <> ''`",
    also: [secondWallOpen],
    caughtBy: ["404 an absent one, and another business's byte for byte the same: nothing of the endpoint is shown"],
  },
  {
    name: 'list-of-anybody',
    promise: 'a list holds rows of its business alone',
    row: 7,
    in: 'server',
    find: 'select ${selected} where u.business_id = ${businessId}',
    replace: "select ${selected} where ${businessId} <> ''",
    also: [secondWallOpen],
    caughtBy: ['200 no other business sees them'],
  },
  {
    name: 'foreign-told-apart-from-absent',
    promise: 'what belongs to another business is answered, byte for byte, as what is not there',
    row: 7,
    in: 'server',
    find: "if (!row) throw fail('holder_not_found', { param: 'externalUserId' })",
    replace: `if (row) return row
  const theirs = await query\`select 1 from end_users where external_user_id = \${externalUserId}\`
  if (theirs.length > 0) throw fail('holder_not_found', { param: 'externalUserId', message: 'This end-user is not yours.' })
  if (!row) throw fail('holder_not_found', { param: 'externalUserId' })`,
    also: [secondWallOpen],
    caughtBy: ['404 another business is answered as if the end-user did not exist'],
  },
  {
    name: 'taken-address-told-across-businesses',
    promise: 'nobody learns from a refusal that an e-mail address is a customer of another business',
    row: 7,
    in: 'server',
    find: 'if (await deps.db.read((query) => isHeldWithin(query, providerOf(deps.config), businessId, holders))) {',
    replace: 'if (holders.length > 0) {',
    caughtBy: ['an e-mail address of another business’s customer is refused'],
  },
]
