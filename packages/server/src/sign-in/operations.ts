// The sign-in of a business's staff, set by the business or by the operator.

import type { FastifyRequest } from 'fastify'
import { requireNoMore } from '../businesses/api-keys.ts'
import { getAnyBusiness } from '../businesses/service.ts'
import type { Core, ServerCore } from '../platform/core.ts'
import { type Actor, actorOf, scopes } from '../platform/http/caller.ts'
import { operationsOf, operatorOperations } from '../platform/http/operation.ts'
import { deleted } from '../platform/http/schema/schema.ts'
import type { RequestScope } from '../platform/http/scope.ts'
import { newSignIn, signIn } from './schema.ts'
import { type Change, deleteSignIn, getSignIn, setSignIn } from './service.ts'

const issuerErrors = [
  'invalid_issuer',
  'sign_in_issuer_mismatch',
  'sign_in_issuer_unreachable',
  'sign_in_issuer_unusable',
] as const

const exampleOf = (issuer: string) => ({
  issuer,
  clientId: 'causeway',
  clientSecret: 'secret-of-the-client',
  roles: { claim: 'groups', values: { 'payments-admins': 'admin', 'payments-support': 'support' } },
})

/**
 * The issuer decides who gets which role, so the caller needs every scope.
 * @throws ApiError `insufficient_scope`
 */
function ownChange({ business, held, turn }: RequestScope, { server }: FastifyRequest): Change {
  requireNoMore(business, scopes)
  return { businessId: business.id, by: actorOf(business), held, turn, origin: server.origin }
}

const { read, write } = operationsOf<Core>('Staff', 'api_keys')

export const signInOperations = [
  read('GET /v0/sign-in', {
    id: 'getSignIn',
    summary: 'Read the sign-in of your staff',
    sdk: 'signIn.get()',
    data: signIn,
    errors: ['sign_in_not_set'],
    run: ({ deps, scope, request }) => getSignIn(deps, scope.business.id, request.server.origin),
  }),

  write('PUT /v0/sign-in', {
    id: 'setSignIn',
    summary: 'Set the sign-in of your staff',
    sdk: 'signIn.set(body)',
    example: { body: ({ issuer }) => exampleOf(issuer) },
    audit: ['sign_in.changed'],
    sensitive: true,
    description:
      'Your staff signs in to the console at your OpenID Connect issuer. Causeway reads the metadata of the issuer first. ' +
      'The caller needs every scope. A different `issuer` or `clientId` ends all sessions of your staff.',
    body: newSignIn,
    data: signIn,
    errors: issuerErrors,
    run: ({ deps, scope, request, body }) => setSignIn(deps, ownChange(scope, request), body),
  }),

  write('DELETE /v0/sign-in', {
    id: 'deleteSignIn',
    summary: 'Remove the sign-in of your staff',
    sdk: 'signIn.delete()',
    audit: ['sign_in.removed'],
    sensitive: true,
    description: 'Ends all sessions of your staff. The caller needs every scope.',
    data: deleted,
    errors: ['sign_in_not_set'],
    run: ({ deps, scope, request }) => deleteSignIn(deps, ownChange(scope, request)),
  }),
]

const ofOperator = operatorOperations<ServerCore>()

/** @throws ApiError `customer_not_found` */
async function changeOf(deps: ServerCore, id: string, by: Actor, { server }: FastifyRequest): Promise<Change> {
  const { id: businessId } = await getAnyBusiness(deps, id)
  return { businessId, by, held: null, turn: null, origin: server.origin }
}

/** For the operator: any business. */
export const customerSignInOperations = [
  ofOperator.read('GET /v0/customers/:customerId/sign-in', {
    id: 'getCustomerSignIn',
    summary: 'Read the sign-in of the staff of a business',
    data: signIn,
    errors: ['customer_not_found', 'sign_in_not_set'],
    run: async ({ deps, actor, params, request }) => {
      const { businessId, origin } = await changeOf(deps, params.customerId, actor, request)
      return await getSignIn(deps, businessId, origin)
    },
  }),

  ofOperator.write('PUT /v0/customers/:customerId/sign-in', {
    id: 'setCustomerSignIn',
    summary: 'Set the sign-in of the staff of a business',
    example: { body: ({ issuer }) => exampleOf(issuer) },
    audit: ['sign_in.changed'],
    sensitive: true,
    description:
      'The staff of the business signs in to the console at its OpenID Connect issuer. Causeway reads the metadata of the issuer first. ' +
      'A different `issuer` or `clientId` ends all sessions of the staff.',
    body: newSignIn,
    data: signIn,
    errors: ['customer_not_found', ...issuerErrors],
    run: async ({ deps, actor, params, request, body }) =>
      setSignIn(deps, await changeOf(deps, params.customerId, actor, request), body),
  }),

  ofOperator.write('DELETE /v0/customers/:customerId/sign-in', {
    id: 'deleteCustomerSignIn',
    summary: 'Remove the sign-in of the staff of a business',
    audit: ['sign_in.removed'],
    sensitive: true,
    description: 'Ends all sessions of the staff.',
    data: deleted,
    errors: ['customer_not_found', 'sign_in_not_set'],
    run: async ({ deps, actor, params, request }) =>
      deleteSignIn(deps, await changeOf(deps, params.customerId, actor, request)),
  }),
]
