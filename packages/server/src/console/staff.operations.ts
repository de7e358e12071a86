// Staff who have signed in to the console with OpenID Connect, of a business and of the operator.

import { Type } from 'typebox'
import { deploymentChain } from '../audit/audit.rules.ts'
import type { Core, ServerCore } from '../platform/core.ts'
import { actorOf } from '../platform/http/caller.ts'
import { operationsOf, operatorOperations } from '../platform/http/operation.ts'
import { idOf, isoTime, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { businessRoles } from '../platform/role-mapping.ts'
import { listStaff, signOutEverywhere } from './staff-sessions.ts'

const staffMember = named('StaffMember', {
  id: idOf('staff'),
  issuer: Type.String({ description: 'The OpenID Connect issuer.', examples: ['https://login.example.com'] }),
  subject: Type.String({ description: 'The `sub` claim of the issuer.' }),
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  roles: Type.Array(oneOf('StaffRole', businessRoles), {
    description: 'The roles in the newest open session; empty without an open session.',
  }),
  sessions: Type.Integer({ description: 'The number of open console sessions, up to 100.' }),
  createdAt: { ...isoTime, description: 'When the staff member signed in for the first time.' },
  lastSeenAt: isoTime,
})

const listed = {
  summary: 'List staff who have signed in to the console, newest first',
  items: staffMember,
} as const

const signedOut = {
  summary: 'Sign a staff member out of the console everywhere',
  description: 'Ends all console sessions of the staff member. To keep them out, change their roles at the issuer.',
  audit: ['staff.signed_out'],
  data: named('StaffSignedOut', { id: idOf('staff'), sessionsEnded: Type.Integer() }),
  errors: ['staff_not_found'],
} as const

const own = operationsOf<Core>('Staff', 'api_keys')
const ofOperator = operatorOperations<ServerCore>()

export const staffOperations = [
  own.list('GET /v0/staff', {
    ...listed,
    id: 'listStaff',
    sdk: 'staff.list(query)',
    run: ({ deps, scope, page }) => listStaff(deps, scope.business.id, page),
  }),

  own.write('DELETE /v0/staff/:id/sessions', {
    ...signedOut,
    id: 'signOutStaff',
    sdk: 'staff.signOut(at)',
    command: 'staff sign-out',
    run: ({ deps, scope: { business }, params: { id } }) =>
      signOutEverywhere(deps, { businessId: business.id, id }, actorOf(business)),
  }),
]

export const operatorStaffOperations = [
  ofOperator.list('GET /v0/operator/staff', {
    ...listed,
    id: 'listOperatorStaff',
    run: ({ deps, page }) => listStaff(deps, deploymentChain, page),
  }),

  ofOperator.write('DELETE /v0/operator/staff/:id/sessions', {
    ...signedOut,
    id: 'signOutOperatorStaff',
    command: 'operator staff-sign-out',
    run: ({ deps, actor, params: { id } }) => signOutEverywhere(deps, { businessId: deploymentChain, id }, actor),
  }),
]
