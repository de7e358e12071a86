// Commands in the place of a bank: a deposit into a virtual account, and what becomes of one that waits.

import { refuse } from '../platform/errors.ts'
import { object, oneOf, parse } from '../platform/fields.ts'
import type { Operation } from '../platform/operations.ts'
import type { World } from '../state/world.ts'
import { advances, depositById, moveDeposit } from './deposits.ts'
import { placeDeposit } from './orders.ts'

const move = object({ to: oneOf(advances) }, ['to'])

export const depositCommands = (world: World): Operation[] => [
  {
    method: 'POST',
    path: '/virtual_accounts/:id/deposits',
    run: ({ param, body }) => {
      const account = world.state.virtualAccounts.get(param('id'))
      if (!account) throw refuse(404, 'unknown_virtual_account', 'There is no virtual account with this id')
      return { deposit_id: placeDeposit(world, account, body).id }
    },
  },
  {
    method: 'POST',
    path: '/deposits/:id/advance',
    run: ({ param, body }) => {
      const deposit = depositById(world, param('id'))
      const given = parse(move, body)
      const to = advances.find((known) => known === given['to']) ?? 'next'
      return { deposit_id: moveDeposit(world, deposit, to).id }
    },
  },
]
