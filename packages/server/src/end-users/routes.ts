// End-users: create, read, list.

import { Type } from 'typebox'
import type { EdgeDeps } from '../app/context.ts'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { pageRequestOf, sendPage, timeRange, timeRangeOf } from '../platform/http/schema/paging.ts'
import {
  closed,
  dataOf,
  externalUserId,
  listQuery,
  metadata,
  nullable,
  pageOf,
  responses,
} from '../platform/http/schema/schema.ts'
import { eraseEndUser } from './erasure.ts'
import { endUser, endUserParams, endUserType, kycStatus } from './schema.rules.ts'
import { createEndUser, endUserView, getEndUser, listEndUsers, updateEndUser } from './service.ts'

const tosOrigin = nullable(
  Type.String({ description: 'The origin of the open Terms link: the only one whose browser messages to believe.' }),
)

const email = Type.String({
  maxLength: 320,
  pattern: '^[^\\s@\\u0000-\\u001f\\ud800-\\udfff]+@[^\\s@\\u0000-\\u001f\\ud800-\\udfff]+$',
  errorText: 'must be an e-mail address',
})

/** A path cannot name these two: clients and proxies take them for steps of the path (RFC 3986, 5.2.4). */
const newExternalUserId = Type.String({
  ...externalUserId,
  not: { enum: ['.', '..'] },
  errorText: 'must have 1 to 128 characters, none of them a control character, and be neither `.` nor `..`',
})

const newEndUser = closed({
  externalUserId: newExternalUserId,
  email: Type.Optional(email),
  type: Type.Optional(endUserType),
  metadata: Type.Optional(metadata),
})

export function endUserRoutes(app: App, deps: EdgeDeps): void {
  app.post(
    '/v0/end-users',
    {
      config: { auth: 'business', scope: 'end_users:write' },
      schema: {
        operationId: 'createEndUser',
        summary: 'Create an end-user',
        description: 'The first step of onboarding. An end-user is known by your own `externalUserId`.',
        tags: ['End-users'],
        body: newEndUser,
        response: responses(dataOf(endUser), 'end_user_already_exists'),
      },
    },
    async (request) => ({ data: await createEndUser(depsOf(request), businessOf(request), request.body) }),
  )

  app.get(
    '/v0/end-users',
    {
      config: { auth: 'business', scope: 'end_users:read' },
      schema: {
        operationId: 'listEndUsers',
        summary: 'List end-users, newest first',
        tags: ['End-users'],
        querystring: listQuery({
          externalUserId: Type.Optional(externalUserId),
          status: Type.Optional(kycStatus),
          type: Type.Optional(endUserType),
          ...timeRange,
        }),
        response: responses(pageOf(endUser)),
      },
    },
    async (request, reply) => {
      const { externalUserId, status, type } = request.query
      const filter = {
        ...(externalUserId === undefined ? {} : { externalUserId }),
        ...(status === undefined ? {} : { kycStatus: status }),
        ...(type === undefined ? {} : { type }),
        ...timeRangeOf(request.query),
      }
      const page = await listEndUsers(depsOf(request), businessOf(request), filter, pageRequestOf(request.query))
      return sendPage(reply, { ...page, items: page.items.map((row) => endUserView(row, deps.now())) })
    },
  )

  app.get(
    '/v0/end-users/:externalUserId',
    {
      config: { auth: 'business', scope: 'end_users:read' },
      schema: {
        operationId: 'getEndUser',
        summary: 'Read an end-user',
        tags: ['End-users'],
        params: endUserParams,
        response: responses(dataOf(Type.Object({ ...endUser.properties, tosOrigin })), 'holder_not_found'),
      },
    },
    async (request) => ({
      data: await getEndUser(depsOf(request), businessOf(request), request.params.externalUserId),
    }),
  )

  app.patch(
    '/v0/end-users/:externalUserId',
    {
      config: { auth: 'business', scope: 'end_users:write' },
      schema: {
        operationId: 'updateEndUser',
        summary: 'Change an end-user',
        description:
          'Changes our record: what the provider holds is changed by the next `submit-kyc`. `metadata` is replaced as a whole; `email: null` removes the address. `type` can be changed until the provider knows the end-user.',
        tags: ['End-users'],
        params: endUserParams,
        body: closed(
          {
            email: Type.Optional(nullable(email)),
            type: Type.Optional(endUserType),
            metadata: Type.Optional(metadata),
          },
          { minProperties: 1 },
        ),
        response: responses(dataOf(endUser), 'holder_not_found', 'end_user_type_fixed'),
      },
    },
    async (request) => ({
      data: await updateEndUser(depsOf(request), businessOf(request), request.params.externalUserId, request.body),
    }),
  )

  app.delete(
    '/v0/end-users/:externalUserId',
    {
      config: { auth: 'business', scope: 'end_users:write' },
      schema: {
        operationId: 'eraseEndUser',
        summary: 'Erase an end-user',
        description:
          'Removes what this service holds: the record, links, virtual accounts, deposits, and the content of events, whose ids, types and numbers stay. Refused while an account is active or money is on its way. What the provider holds stays with the provider. Can not be undone.',
        tags: ['End-users'],
        params: endUserParams,
        response: responses(dataOf(Type.Object({ deleted: Type.Boolean() })), 'holder_not_found', 'end_user_in_use'),
      },
    },
    async (request) => ({
      data: await eraseEndUser(depsOf(request), businessOf(request), request.params.externalUserId),
    }),
  )
}
