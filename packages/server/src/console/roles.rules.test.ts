// The scopes of each role.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '../platform/http/caller.ts'
import { businessRoles, operatorRoles } from '../platform/role-mapping.ts'
import { mayOperate, scopesOf } from './roles.rules.ts'

test('each role of a business has its scopes, several have them together', () => {
  const expected = {
    admin: [...scopes],
    developer: ['webhooks:read', 'webhooks:write', 'events:read', 'events:write', 'api_keys:read', 'api_keys:write'],
    support: ['end_users:read', 'end_users:write', 'virtual_accounts:read', 'events:read'],
    finance: ['virtual_accounts:read'],
  }
  assert.deepEqual(Object.fromEntries(businessRoles.map((role) => [role, scopesOf([role])])), expected)
  assert.deepEqual(scopesOf(['developer', 'finance']), ['virtual_accounts:read', ...expected.developer])
  assert.deepEqual(scopesOf(['support', 'finance']), expected.support)
  assert.deepEqual(scopesOf([]), [])
})

test('at the operator an admin may send anything, support only reads, and no other role sends anything', () => {
  const sent = (roles: Parameters<typeof mayOperate>[0]) =>
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => mayOperate(roles, method)).length
  assert.deepEqual(
    operatorRoles.map((role) => sent([role])),
    [6, 2],
  )
  assert.deepEqual([sent(['support', 'admin']), sent(['developer', 'finance']), sent([])], [6, 0, 0])
})
