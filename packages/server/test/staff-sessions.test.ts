// Sessions of staff: what each role may do, which name the audit log keeps, when a sensitive operation asks for a new sign-in,
// and how a session ends.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { allOperations } from '../src/app/operations.ts'
import { deploymentChain } from '../src/audit/audit.rules.ts'
import { checkAudit } from '../src/audit/verify.ts'
import { type StaffRole, scopesOf } from '../src/console/roles.rules.ts'
import {
  claimStaffSession,
  endStaffSessions,
  keepStaffSession,
  nextStaffCheckMs,
} from '../src/console/staff-sessions.ts'
import { causeway } from '../src/platform/http/caller.ts'
import { assertError, until } from './caller.ts'
import { signIn } from './console-browser.ts'
import { staffOf, type TestStaff } from './staff.ts'
import { freeReaders } from './waiting-readers.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { OIDC_FRESH_SIGN_IN_MINUTES: '10', OIDC_RECHECK_MINUTES: '15' } })
after(() => world.stop())
const { id: businessId } = world.business
const { inside } = world
const longAgo = () => new Date(Date.now() - 11 * 60_000)
const auditOf = async (path = '/v0/audit-log', call = world.business.call) => (await call('GET', path)).body.data

describe('roles', () => {
  const expected: Record<StaffRole, string> = {
    admin:
      'end_users:read end_users:write virtual_accounts:read virtual_accounts:write webhooks:read webhooks:write events:read events:write api_keys:read api_keys:write',
    developer: 'webhooks:read webhooks:write events:read events:write api_keys:read api_keys:write',
    support: 'end_users:read end_users:write virtual_accounts:read events:read',
    finance: 'virtual_accounts:read',
  }
  for (const [role, scopes] of Object.entries(expected) as [StaffRole, string][])
    test(`${role}: every operation of its scopes, and no other`, async () => {
      assert.equal(scopesOf([role]).join(' '), scopes)
      const staff = await staffOf(world, { businessId, roles: [role] })
      const { session } = (await staff.ask('GET', '/console/config')).body.data
      const { id, subject: _, email } = staff
      assert.deepEqual(session.staff, { id, name: 'Ada Lovelace', email, roles: [role] })
      assert.deepEqual([session.scopes.join(' '), session.apiKeyId, session.customerId], [scopes, null, businessId])
      for (const [path, scope] of [
        ['/v0/end-users', 'end_users:read'],
        ['/v0/deposits', 'virtual_accounts:read'],
        ['/v0/webhook-endpoints', 'webhooks:read'],
        ['/v0/events', 'events:read'],
        ['/v0/api-keys', 'api_keys:read'],
        ['/v0/staff', 'api_keys:read'],
      ] as const) {
        const answer = await staff.ask('GET', path)
        if (scopes.includes(scope)) assert.equal(answer.status, 200, `${role} ${path}: ${answer.text}`)
        else assertError(answer, 403, 'insufficient_scope')
      }
    })

  test('several roles have their scopes together; no role has none', () => {
    assert.deepEqual(scopesOf(['finance', 'developer']), scopesOf(['developer', 'finance']))
    assert.equal(scopesOf(['finance', 'developer']).length, 7)
    assert.deepEqual(scopesOf([]), [])
  })

  test('the operator: support reads, and only an admin changes anything', async () => {
    const support = await staffOf(world, { businessId: deploymentChain, roles: ['support'] })
    const admin = await staffOf(world, { businessId: deploymentChain, roles: ['admin'] })
    for (const staff of [support, admin]) assert.equal((await staff.ask('GET', '/v0/customers')).status, 200)
    assertError(await support.ask('POST', '/v0/customers', { name: 'No' }), 403, 'staff_role_insufficient')
    assertError(await support.ask('DELETE', `/v0/operator/staff/${admin.id}/sessions`), 403, 'staff_role_insufficient')
    assert.equal((await admin.ask('POST', '/v0/customers', { name: 'Yes' })).status, 200)
  })

  test('a session of one business reaches no object of another, and no operation of the operator', async () => {
    const other = await world.otherBusiness()
    const own = await staffOf(world, { businessId: other.id })
    const foreign = await staffOf(world, { businessId })
    assertError(await own.ask('DELETE', `/v0/staff/${foreign.id}/sessions`), 404, 'staff_not_found')
    assert.equal((await foreign.ask('GET', '/v0/whoami')).body.data.customerId, businessId)
    assertError(await own.ask('GET', '/v0/customers'), 401, 'wrong_auth_scheme')
    assertError(
      await own.ask('GET', '/v0/whoami', undefined, { cookie: foreign.cookie }),
      409,
      'console_session_changed',
    )
    const ofOperator = await staffOf(world, { businessId: deploymentChain })
    assertError(await ofOperator.ask('GET', '/v0/whoami'), 401, 'wrong_auth_scheme')
    assertError(await ofOperator.ask('DELETE', `/v0/operator/staff/${own.id}/sessions`), 404, 'staff_not_found')
  })
})

describe('the names in the logs', () => {
  test('the audit log names the person as they were at that time, and the chain covers the name', async () => {
    const staff = await staffOf(world, { businessId })
    const issued = await staff.ask('POST', '/v0/api-keys', {})
    assert.equal(issued.body.data.createdBy, staff.id)
    await world.rows`update staff set email = 'other@example.com' where id = ${staff.id}`
    const [opened] = await auditOf(`/v0/audit-log?actor=${staff.id}&action=console_session.opened`)
    const [created] = await auditOf(`/v0/audit-log?actor=${staff.id}&action=api_key.created`)
    const person = { subject: staff.subject, email: staff.email }
    assert.deepEqual([opened.person, created.person, created.consoleSessionId], [person, person, staff.session])
    assert.equal((await checkAudit(inside, businessId)).ok, true)
  })

  test('a key has no person; a business does not see which person of the operator acted, the operator does', async () => {
    const other = await world.otherBusiness()
    const operator = await staffOf(world, { businessId: deploymentChain })
    await operator.ask('PATCH', `/v0/customers/${other.id}`, { name: 'Renamed' })
    await world.business.call('POST', '/v0/api-keys', {}, { key: other.apiKey })
    const own = (await world.business.call('GET', '/v0/audit-log', undefined, { key: other.apiKey })).body.data
    const [renamed] = own.filter(({ action }: { action: string }) => action === 'customer.renamed')
    assert.deepEqual([renamed.actor, renamed.person, renamed.consoleSessionId], ['operator', null, operator.session])
    assert.equal(own.find(({ action }: { action: string }) => action === 'api_key.created').person, null)
    const [seen] = await auditOf(`/v0/customers/${other.id}/audit-log?action=customer.renamed`, world.operator.call)
    assert.deepEqual(seen.person, { subject: operator.subject, email: operator.email })
  })

  test('an onboarding link names the staff member; a console link needs an API key', async () => {
    const staff = await staffOf(world, { businessId, roles: ['support'] })
    const user = await world.business.user()
    const link = await staff.ask('POST', `/v0/end-users/${user}/onboarding-links`, {})
    assert.equal(link.status, 200, link.text)
    const listed = (await world.business.call('GET', `/v0/onboarding-links?createdBy=${staff.id}`)).body.data
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [link.body.data.id],
    )
    const admin = await staffOf(world, { businessId })
    assertError(await admin.ask('POST', '/v0/console-links', { scopes: ['events:read'] }), 403, 'api_key_required')
  })
})

describe('sensitive operations', () => {
  const actions = new Set([
    'api_key.created',
    'api_key.rolled',
    'api_key.revoked',
    'console_link.revoked',
    'webhook_endpoint.secret_rotated',
    'end_user.deleted',
    'virtual_account.destination.changed',
    'sign_in.changed',
    'sign_in.removed',
  ])
  const sensitive = allOperations.filter(({ sensitive: is }) => is)

  test('every operation that writes a sensitive entry is one, and so are both that send a range again', () => {
    const writes = allOperations.filter(
      ({ id, audit }) =>
        ['startReplay', 'retryDeliveries'].includes(id) ||
        (Array.isArray(audit) && audit.some((action) => actions.has(action))),
    )
    assert.ok(writes.length >= 10)
    assert.deepEqual(new Set(writes.map(({ id }) => id)), new Set(sensitive.map(({ id }) => id)))
  })

  for (const authTime of [longAgo(), null])
    test(`signed in at the issuer ${authTime ? '11 minutes ago' : 'at an unknown time'}: each is refused`, async () => {
      const business = await staffOf(world, { businessId, authTime })
      const operator = await staffOf(world, { businessId: deploymentChain, authTime })
      for (const { address, caller } of sensitive) {
        const [method = '', path = ''] = address.split(' ')
        const answer = await (caller === 'operator' ? operator : business).ask(
          method,
          path.replace(/:\w+/g, 'some-id'),
          {},
        )
        assertError(answer, 403, 'sign_in_too_old')
        assert.match(answer.body.error.resolution, /within 10 minutes/)
      }
      assert.equal((await business.ask('GET', '/v0/api-keys')).status, 200)
      assert.equal((await business.ask('POST', '/v0/end-users', { externalUserId: `of-${business.id}` })).status, 200)
    })

  test('a recent sign-in, a key and a session of a key are not asked', async () => {
    const staff = await staffOf(world, { businessId })
    const browser = await signIn(world.url, { apiKey: world.business.apiKey })
    for (const answer of [
      await staff.ask('POST', '/v0/api-keys', {}),
      await browser.ask('POST', '/v0/api-keys', {}),
      await world.business.call('POST', '/v0/api-keys', {}),
    ])
      assert.equal(answer.status, 200, answer.text)
  })
})

describe('the check of the roles', () => {
  const due = (session: string) => world.rows`
    update console_sessions set check_at = now() - interval '1 second' where id = ${session}`
  /** Tries with new sessions until `take` returns something: the loop of the server may be first, and then ends the session. */
  const withDue = <T>(refreshToken: string, take: (staff: TestStaff) => Promise<T | null>) =>
    until('a session that the loop of the server has not taken', async () => {
      const staff = await staffOf(world, { businessId, roles: ['admin'], refreshToken })
      await due(staff.session)
      return await take(staff)
    })

  test('changed roles count at once, the refresh token is stored sealed, and one server checks a session', async () => {
    await staffOf(world, { businessId, roles: ['admin'], refreshToken: 'rt-canary-0' })
    const ms = await nextStaffCheckMs(inside)
    assert.ok(ms !== null && ms > 9 * 60_000 && ms <= 10 * 60_000, `${ms}`)
    assert.equal(await claimStaffSession(inside), null)
    const { staff, claimed } = await withDue('rt-canary-1', async (staff) => {
      const claims = await Promise.all([claimStaffSession(inside), claimStaffSession(inside)])
      const [claimed, ...more] = claims.filter((claim) => claim !== null)
      assert.equal(more.length, 0)
      return claimed ? { staff, claimed } : null
    })
    assert.deepEqual([claimed.refreshToken, claimed.subject], ['rt-canary-1', staff.subject])
    const [row] = await world.rows<{ token: Buffer }>`
      select refresh_token as token from console_sessions where id = ${staff.session}`
    assert.ok(row && !row.token.includes('rt-canary-1'))
    const confirmed = {
      roles: ['finance'],
      refreshToken: 'rt-canary-2',
      name: 'Ada King',
      email: 'ada@example.com',
    } as const
    await keepStaffSession(inside, claimed, confirmed)
    assertError(await staff.ask('GET', '/v0/api-keys'), 403, 'insufficient_scope')
    assert.equal((await staff.ask('GET', '/v0/deposits')).status, 200)
    const { session } = (await staff.ask('GET', '/console/config')).body.data
    assert.deepEqual(session.staff, { id: staff.id, name: 'Ada King', email: 'ada@example.com', roles: ['finance'] })
  })

  test('a check that took longer than its lease changes nothing: another server has the session', async () => {
    const { staff, slow } = await withDue('rt-slow', async (staff) => {
      const slow = await claimStaffSession(inside)
      await due(staff.session)
      return slow && (await claimStaffSession(inside)) && { staff, slow }
    })
    await keepStaffSession(inside, slow, { roles: ['finance'], refreshToken: 'old', name: null, email: null })
    assert.equal((await staff.ask('GET', '/v0/api-keys')).status, 200)
  })

  test('a session that the issuer has not confirmed in time ends, with and without a refresh token', async () => {
    for (const refreshToken of ['rt-unconfirmed', null]) {
      const staff = await staffOf(world, { businessId, refreshToken })
      const { session } = (await staff.ask('GET', '/console/config')).body.data
      const minutes = (Date.parse(session.expiresAt) - Date.now()) / 60_000
      assert.ok(Math.abs(minutes - (refreshToken === null ? 15 : 12 * 60)) < 1, `${minutes}`)
      await world.rows`update console_sessions set checked_until = now() where id = ${staff.session}`
      assertError(await staff.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
    }
  })
})

describe('the end', () => {
  test('signing out everywhere ends each session of one person, and none of another', async () => {
    const subject = 'everywhere'
    const [one, two, other] = [
      await staffOf(world, { businessId, subject }),
      await staffOf(world, { businessId, subject, roles: ['finance'] }),
      await staffOf(world, { businessId }),
    ]
    assert.equal(one.id, two.id)
    const listed = (await world.business.call('GET', '/v0/staff')).body.data
    assert.equal(listed.find(({ id }: { id: string }) => id === one.id).sessions, 2)
    const ended = await other.ask('DELETE', `/v0/staff/${one.id}/sessions`)
    assert.deepEqual(ended.body.data, { id: one.id, sessionsEnded: 2 })
    for (const staff of [one, two]) assertError(await staff.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
    assert.equal((await other.ask('GET', '/v0/whoami')).status, 200)
    const [entry] = await auditOf('/v0/audit-log?action=staff.signed_out&limit=1')
    assert.deepEqual([entry.actor, entry.subjectId, entry.details], [other.id, one.id, { sessions: 2 }])
  })

  test('back-channel logout ends the session with the `sid`, or all of the `sub`, in its own business alone', async () => {
    const elsewhere = (await world.otherBusiness()).id
    const [first, second, foreign] = [
      await staffOf(world, { businessId, subject: 'back', sid: 'sid-1' }),
      await staffOf(world, { businessId, subject: 'back', sid: 'sid-2' }),
      await staffOf(world, { businessId: elsewhere, subject: 'back', sid: 'sid-1' }),
    ]
    const issuer = 'https://login.example.com'
    assert.equal(
      await endStaffSessions(inside, { businessId, issuer: 'https://other.example', sid: 'sid-1' }, causeway),
      0,
    )
    assert.equal(await endStaffSessions(inside, { businessId, issuer, sid: 'sid-1' }, causeway), 1)
    assertError(await first.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
    assert.equal((await second.ask('GET', '/v0/whoami')).status, 200)
    assert.equal(await endStaffSessions(inside, { businessId, issuer, subject: 'back' }, causeway), 1)
    assertError(await second.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
    assert.equal((await foreign.ask('GET', '/v0/whoami')).status, 200)
  })

  test('a suspended business: no sign-in, and an open session can do nothing', async () => {
    const { id } = await world.otherBusiness()
    const staff = await staffOf(world, { businessId: id })
    await world.operator.call('PATCH', `/v0/customers/${id}`, { status: 'suspended' })
    assertError(await staff.ask('GET', '/v0/whoami'), 403, 'business_suspended')
    await assert.rejects(staffOf(world, { businessId: id }), { code: 'business_suspended' })
  })

  test('a new sign-in of the browser ends its earlier session, and requests that wait with that session end', async () => {
    const before = await staffOf(world, { businessId, subject: 'twice' })
    const previous = before.cookie.split('=')[1] ?? ''
    await staffOf(world, { businessId, subject: 'twice', previous })
    assertError(await before.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
    const waiting = await staffOf(world, { businessId, subject: 'waits' })
    const free = freeReaders(world, businessId)
    const poll = waiting.ask('GET', '/v0/events?after=now&wait=20')
    await until('the poll', async () => freeReaders(world, businessId) < free || undefined)
    await endStaffSessions(inside, { businessId, issuer: 'https://login.example.com', subject: 'waits' }, causeway)
    assertError(await poll, 401, 'console_session_invalid')
  })

  test('a use is noted, a minute apart, as when the person was last seen', async () => {
    const staff = await staffOf(world, { businessId })
    await world.rows`update staff set last_seen_at = now() - interval '1 hour' where id = ${staff.id}`
    await world.rows`update console_sessions set idle_until = now() + interval '10 minutes' where id = ${staff.session}`
    assert.equal((await staff.ask('GET', '/v0/whoami')).status, 200)
    const [row] = await world.rows<{ isSeen: boolean }>`
      select last_seen_at > now() - interval '1 minute' as is_seen from staff where id = ${staff.id}`
    assert.equal(row?.isSeen, true)
  })
})
