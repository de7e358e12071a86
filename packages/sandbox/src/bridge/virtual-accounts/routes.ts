// The provider's operations on virtual accounts, their history, and exchange rates.

import { invalidParameters } from '../../platform/errors.ts'
import type { Call, Operation, Query } from '../../platform/operations.ts'
import { customerById } from '../customers/record.ts'
import { choice, mapPage, paginate, single } from '../forms/pagination.ts'
import type { World } from '../state/world.ts'
import { listActivities } from './activities.ts'
import { rateBetween, renderExchangeRate } from './currencies.ts'
import {
  createVirtualAccount,
  renderVirtualAccount,
  setActivation,
  updateVirtualAccount,
  virtualAccountOf,
} from './virtual-accounts.ts'

const collection = '/customers/:customerID/virtual_accounts'
const item = `${collection}/:virtualAccountID`

const pathOf = ({ param }: Call): [customerId: string, accountId: string] => [
  param('customerID'),
  param('virtualAccountID'),
]

const page = (world: World, query: Query, customerId?: string) => {
  const status = choice(query, 'status', ['activated', 'deactivated'])
  const matching = world.state.virtualAccounts
    .all()
    .filter((account) => customerId === undefined || account.customerId === customerId)
    .filter((account) => status === undefined || account.status === status)
  return mapPage(paginate(matching.reverse(), query), renderVirtualAccount)
}

export const virtualAccountOperations = (world: World): Operation[] => [
  {
    method: 'POST',
    path: collection,
    run: ({ param, body }) => renderVirtualAccount(createVirtualAccount(world, param('customerID'), body)),
  },
  {
    method: 'GET',
    path: collection,
    run: ({ param, query }) => page(world, query, customerById(world, param('customerID')).id),
  },
  { method: 'GET', path: '/virtual_accounts', run: ({ query }) => page(world, query) },
  { method: 'GET', path: item, run: (call) => renderVirtualAccount(virtualAccountOf(world, ...pathOf(call))) },
  {
    method: 'PUT',
    path: item,
    run: (call) => renderVirtualAccount(updateVirtualAccount(world, ...pathOf(call), call.body)),
  },
  {
    method: 'POST',
    path: `${item}/deactivate`,
    run: (call) => renderVirtualAccount(setActivation(world, ...pathOf(call), 'deactivated')),
  },
  {
    method: 'POST',
    path: `${item}/reactivate`,
    run: (call) => renderVirtualAccount(setActivation(world, ...pathOf(call), 'activated')),
  },
  {
    method: 'GET',
    path: `${item}/history`,
    run: (call) => listActivities(world, call.query, virtualAccountOf(world, ...pathOf(call)).id),
  },
  {
    method: 'GET',
    path: '/exchange_rates',
    run: ({ query }) => {
      const rate = rateBetween(single(query, 'from') ?? '', single(query, 'to') ?? '')
      if (rate === undefined) throw invalidParameters('query', { from: 'Not supported', to: 'Not supported' })
      return renderExchangeRate(rate)
    },
  },
  { method: 'GET', path: '/virtual_accounts/history', run: ({ query }) => listActivities(world, query) },
]
