// Commands in the place of a bank: deposit into a virtual account, and advance a deposit.
import { refuse } from '../../platform/errors.ts'
import { fullObject, oneOf, parse } from '../../platform/fields.ts'
import type { Operation } from '../../platform/operations.ts'
import type { World } from '../state/world.ts'
import { advanceDeposit, advances, depositById } from './deposits.ts'
import { placeDeposit } from './orders.ts'

const advance = fullObject({ to: oneOf(advances) })

export const depositCommands = (world: World): Operation[] => [
  {
    method: 'POST',
    path: '/virtual_accounts/:id/deposits',
    run: ({ param, body }) => {
      const account = world.state.virtualAccounts.get(param('id'))
      if (!account) throw refuse(404, 'unknown_virtual_account', 'No virtual account has this ID')
      return { deposit_id: placeDeposit(world, account, body).id }
    },
  },
  {
    method: 'POST',
    path: '/deposits/:id/advance',
    run: ({ param, body }) => {
      const deposit = depositById(world, param('id'))
      const { to } = parse(advance, body)
      return { deposit_id: advanceDeposit(world, deposit, to).id }
    },
  },
]
