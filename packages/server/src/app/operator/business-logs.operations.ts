// The logs of any business, for the operator: the same as the business reads.

import { auditLog } from '../../audit/operations.ts'
import { listOwnAudit } from '../../audit/own.ts'
import { requestErrors, requestLog } from '../../businesses/requests/operations.ts'
import { listRequestErrors, listRequests } from '../../businesses/requests/service.ts'
import { getAnyBusiness } from '../../businesses/service.ts'
import type { ServerCore } from '../../platform/core.ts'
import { operatorOperations } from '../../platform/http/operation.ts'
import { filterOf } from '../../platform/http/schema/paging.ts'

const { list, read } = operatorOperations<ServerCore>()

export const businessLogOperations = [
  list('GET /v0/customers/:customerId/requests', {
    id: 'listCustomerRequests',
    summary: 'List the requests of a business, newest first',
    description: 'Returns the same as `GET /v0/requests` of the business.',
    ...requestLog,
    errors: ['customer_not_found'],
    run: async ({ deps, params, filter, page }) =>
      await listRequests(deps, await getAnyBusiness(deps, params.customerId), filter, page),
  }),

  read('GET /v0/customers/:customerId/requests/errors', {
    id: 'listCustomerRequestErrors',
    summary: 'Count the errors of a business’s requests by code',
    command: 'customers request-errors',
    description: 'Returns the same as `GET /v0/requests/errors` of the business.',
    ...requestErrors,
    errors: ['customer_not_found'],
    run: async ({ deps, params, query }) =>
      await listRequestErrors(deps, await getAnyBusiness(deps, params.customerId), filterOf(query)),
  }),

  list('GET /v0/customers/:customerId/audit-log', {
    id: 'listCustomerAuditLog',
    summary: 'List the audit log of a business, newest first',
    description: 'Returns the same as `GET /v0/audit-log` of the business.',
    ...auditLog,
    errors: ['customer_not_found'],
    run: async ({ deps, params, filter, page }) =>
      await listOwnAudit(deps, await getAnyBusiness(deps, params.customerId), filter, page, 'operator'),
  }),
]
