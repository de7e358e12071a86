// Requests of the provider for information: for the business, whose end-users they are about, and for the operator, who responds.

import { informationRequestState as state } from '../end-users/schema.rules.ts'
import type { Core, ServerCore } from '../platform/core.ts'
import { operationsOf, operatorOperations } from '../platform/http/operation.ts'
import { shown, timeRange } from '../platform/http/schema/paging.ts'
import { externalUserId } from '../platform/http/schema/schema.ts'
import { informationRequest, operatorInformationRequest } from './schema.ts'
import {
  getInformationRequest,
  informationRequestView,
  listAllInformationRequests,
  listInformationRequests,
  operatorInformationRequestView,
} from './service.ts'

const { read, list } = operationsOf<Core>('Information requests', 'end_users')

export const informationRequestOperations = [
  list('GET /v0/information-requests', {
    id: 'listInformationRequests',
    summary: 'List information requests, newest first',
    sdk: 'informationRequests.list(query)',
    example: { query: () => ({ limit: 1 }) },
    description:
      'Requests of the provider for information about your end-users and their deposits. The operator responds, so contact the operator’s support before the `deadline` of a request in `action_required`.',
    filters: { state, externalUserId, ...timeRange },
    items: informationRequest,
    run: async ({ deps, scope, filter, page }) =>
      shown(await listInformationRequests(deps, scope.business, filter, page), informationRequestView),
  }),

  read('GET /v0/information-requests/:id', {
    id: 'getInformationRequest',
    summary: 'Read an information request',
    sdk: 'informationRequests.get(at)',
    data: informationRequest,
    errors: ['information_request_not_found'],
    run: ({ deps, scope, params }) => getInformationRequest(deps, scope.business, params.id),
  }),
]

const ofOperator = operatorOperations<ServerCore>()

export const operatorInformationRequestOperations = [
  ofOperator.list('GET /v0/operator/information-requests', {
    id: 'listAllInformationRequests',
    summary: 'List the information requests of all businesses, newest first',
    example: { query: () => ({ limit: 1 }) },
    description:
      'Includes requests about your account at the provider, and about provider customers that Causeway does not know. Respond in the provider’s dashboard, at `dashboardUrl`. Causeway does not store the questions, names or numbers in a request.',
    filters: { state, ...timeRange },
    items: operatorInformationRequest,
    run: async ({ deps, filter, page }) =>
      shown(await listAllInformationRequests(deps, filter, page), operatorInformationRequestView),
  }),
]
