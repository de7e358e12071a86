// A command in the place of the provider's operations: it moves a virtual account to another bank.
import { refuse } from '../../platform/errors.ts'
import type { Operation } from '../../platform/operations.ts'
import type { World } from '../state/world.ts'
import { moveToOtherBank, renderVirtualAccount } from './virtual-accounts.ts'

export const virtualAccountCommands = (world: World): Operation[] => [
  {
    method: 'POST',
    path: '/virtual_accounts/:id/move',
    run: ({ param }) => {
      const account = world.state.virtualAccounts.get(param('id'))
      if (!account) throw refuse(404, 'unknown_virtual_account', 'No virtual account has this ID')
      return renderVirtualAccount(moveToOtherBank(world, account))
    },
  },
]
