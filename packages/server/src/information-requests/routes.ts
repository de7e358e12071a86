// Requests of the provider for information: for the business, whose end-users they are about, and for the operator, who responds.

import { informationRequestState as state } from '../end-users/schema.rules.ts'
import type { ServerCore } from '../platform/core.ts'
import type { App } from '../platform/http/app.ts'
import { businessRoutes, operatorRoutes } from '../platform/http/route.ts'
import { shown, timeRange } from '../platform/http/schema/paging.ts'
import { externalUserId } from '../platform/http/schema/schema.ts'
import type { InformationRequests } from './ports.ts'
import { informationRequest, operatorInformationRequest } from './schema.ts'
import {
  getInformationRequest,
  informationRequestView,
  listAllInformationRequests,
  listInformationRequests,
  operatorInformationRequestView,
} from './service.ts'

export function informationRequestRoutes(app: App, deps: ServerCore & InformationRequests): void {
  const { route, list } = businessRoutes(app, 'Information requests', 'end_users')

  list('GET /v0/information-requests', {
    id: 'listInformationRequests',
    summary: 'List information requests, newest first',
    description:
      'Requests of the provider for information about your end-users and their deposits. The operator responds, so contact the operator’s support before the `deadline` of a request in `action_required`.',
    filters: { state, externalUserId, ...timeRange },
    items: informationRequest,
    run: async ({ deps, business, filter, page }) =>
      shown(await listInformationRequests(deps, business, filter, page), informationRequestView),
  })

  route('GET /v0/information-requests/:id', {
    id: 'getInformationRequest',
    summary: 'Read an information request',
    data: informationRequest,
    errors: ['information_request_not_found'],
    run: ({ deps, business, params }) => getInformationRequest(deps, business, params.id),
  })

  operatorRoutes(app).list('GET /v0/operator/information-requests', {
    id: 'listAllInformationRequests',
    summary: 'List the information requests of all businesses, newest first',
    description:
      'Includes requests about your account at the provider, and about customers whom Causeway does not know. Respond in the provider’s dashboard, at `dashboardUrl`. Causeway does not store the questions, nor the names and numbers in a request.',
    filters: { state, ...timeRange },
    items: operatorInformationRequest,
    run: async ({ filter, page }) =>
      shown(await listAllInformationRequests(deps, filter, page), operatorInformationRequestView),
  })
}
