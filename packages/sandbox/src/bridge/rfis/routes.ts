// The provider's operations on requests for information, and the commands that open and review them.
import type { Operation } from '../../platform/operations.ts'
import { choice, mapPage, paginate, single } from '../forms/pagination.ts'
import type { World } from '../state/world.ts'
import { changeRfi, openRfi, renderRfi, rfiById, rfisOf } from './rfis.ts'
import { rfiStates } from './rows.ts'

export const rfiOperations = (world: World): Operation[] => [
  {
    method: 'GET',
    path: '/rfis',
    run: ({ query }) => {
      const rfis = rfisOf(world, single(query, 'customer_id'), choice(query, 'state', rfiStates))
      return mapPage(paginate(rfis, query), (rfi) => renderRfi(world, rfi))
    },
  },
  { method: 'GET', path: '/rfis/:rfiID', run: ({ param }) => renderRfi(world, rfiById(world, param('rfiID'))) },
]

export const rfiCommands = (world: World): Operation[] => [
  { method: 'POST', path: '/rfis', run: ({ body }) => renderRfi(world, openRfi(world, body)) },
  {
    method: 'POST',
    path: '/rfis/:id',
    run: ({ param, body }) => renderRfi(world, changeRfi(world, rfiById(world, param('id')), body)),
  },
]
