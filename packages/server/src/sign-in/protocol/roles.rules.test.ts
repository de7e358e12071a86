// Which roles a person gets from the claims of an issuer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoleMapping } from '../../platform/config.ts'
import { operatorRoles, readRoleMapping } from '../../platform/role-mapping.ts'
import { rolesOf, shownClaim } from './roles.rules.ts'

const groups: RoleMapping = { claim: 'groups', values: { admins: 'admin', money: 'finance', help: 'support' } }

test('all values of a list count, in the order of roles and without repeats', () => {
  const mapping = { ...groups, values: { ...groups.values, bosses: 'admin' } } as const
  assert.deepEqual(rolesOf(mapping, { groups: ['money', 'bosses', 'other', 'admins'] }), ['admin', 'finance'])
})

test('a claim may be one text', () => assert.deepEqual(rolesOf(groups, { groups: 'help' }), ['support']))

test('a claim may be inside another, or have dots in its name', () => {
  const nested: RoleMapping = { claim: 'realm_access.roles', values: { ops: 'admin' } }
  assert.deepEqual(rolesOf(nested, { realm_access: { roles: ['ops'] } }), ['admin'])
  const url: RoleMapping = { claim: 'https://example.com/roles', values: { ops: 'developer' } }
  assert.deepEqual(rolesOf(url, { 'https://example.com/roles': ['ops'] }), ['developer'])
})

for (const claims of [
  {},
  { groups: [] },
  { groups: ['unknown'] },
  { groups: null },
  { groups: true },
  { groups: [['admins']] },
  { groups: { admins: true } },
  { groups: 'admins,money' },
  { groups: ['constructor', '__proto__', 'toString'] },
  { groups: ['Admins', ' admins'] },
])
  test(`no role from ${JSON.stringify(claims)}`, () => assert.deepEqual(rolesOf(groups, claims), []))

test('a path does not reach inherited members', () => {
  assert.deepEqual(rolesOf({ claim: 'a.constructor.name', values: { Object: 'admin' } }, { a: {} }), [])
})

test('an email address counts only if the issuer has verified it', () => {
  const mapping: RoleMapping = { claim: 'email', values: { 'ada@example.com': 'admin' } }
  const email = 'ada@example.com'
  assert.deepEqual(rolesOf(mapping, { email, email_verified: true }), ['admin'])
  for (const email_verified of [false, undefined, 'true', 1])
    assert.deepEqual(rolesOf(mapping, { email, email_verified }), [])
})

test('a name is one line of bounded length', () => {
  assert.equal(shownClaim({ name: ' Ada\u202e\nLovelace ' }, 'name'), 'AdaLovelace')
  assert.equal(shownClaim({ name: 'a'.repeat(500) }, 'name')?.length, 200)
  for (const name of ['', ' \n', 5, null, ['Ada']]) assert.equal(shownClaim({ name }, 'name'), null)
})

test('a mapping is read from its JSON, or refused with its rule', () => {
  const read = (value: unknown) => readRoleMapping(JSON.stringify(value), operatorRoles)
  const good = { claim: 'groups', values: { a: 'admin', b: 'support' } }
  assert.deepEqual(read(good), good)
  assert.throws(() => readRoleMapping('{', operatorRoles), /cannot be read/)
  for (const [bad, rule] of [
    [[], /needs an object/],
    [null, /needs an object/],
    [{ ...good, more: 1 }, /unknown member/],
    [{ values: good.values }, /needs `claim`/],
    [{ claim: '', values: good.values }, /needs `claim`/],
    [{ claim: 'groups' }, /needs an object in `values`/],
    [{ claim: 'groups', values: {} }, /1 to 50/],
    [{ claim: 'groups', values: { a: 'finance' } }, /only the roles admin and support/],
    [{ claim: 'groups', values: { a: ['admin'] } }, /only the roles/],
  ] as const)
    assert.throws(() => read(bad), rule)
})
