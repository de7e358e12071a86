// Bank details whose deposits are converted and sent to a wallet.

import type { Api, Body, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'
import type { DepositInstructions, VirtualAccount } from '../generated/types.gen.ts'

export class VirtualAccounts {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * Opens an account. Its fee is a decimal string in percent; name the `idempotencyKey` after your own record.
   * @throws BusinessRuleError `kyc_not_approved`, `rail_not_enabled`, `coin_not_available_in_region`
   * @throws ValidationError `invalid_destination_address`, `unsupported_currency`, `unsupported_payment_rail`
   * @throws UnavailableError `provider_timeout`: the account is opened or not, and a repeat opens no second one
   */
  create(body: Body<'createVirtualAccount'>, options?: WriteOptions): Promise<VirtualAccount> {
    return this.#api.call('createVirtualAccount', { body }, options)
  }

  /** Lists accounts, newest first. */
  list(query: Query<'listVirtualAccounts'> = {}, options?: RequestOptions): List<Item<'listVirtualAccounts'>> {
    return this.#api.list('listVirtualAccounts', { query }, options)
  }

  /** Reads an account. @throws NotFoundError `virtual_account_not_found` */
  get(id: string, options?: RequestOptions): Promise<VirtualAccount> {
    return this.#api.call('getVirtualAccount', { path: { id } }, options)
  }

  /** Changes destination or fee, for later deposits, or the metadata. @throws ConflictError `account_change_in_progress` */
  update(id: string, body: Body<'updateVirtualAccount'>, options?: WriteOptions): Promise<VirtualAccount> {
    return this.#api.call('updateVirtualAccount', { path: { id }, body }, options)
  }

  /** Closes an account for deposits. @throws BusinessRuleError `account_state_conflict` */
  deactivate(id: string, options?: WriteOptions): Promise<VirtualAccount> {
    return this.#api.call('deactivateVirtualAccount', { path: { id } }, options)
  }

  /** Opens an account again. @throws BusinessRuleError `account_state_conflict` */
  reactivate(id: string, options?: WriteOptions): Promise<VirtualAccount> {
    return this.#api.call('reactivateVirtualAccount', { path: { id } }, options)
  }

  /** Reads what a payer needs, one entry for each rail. */
  depositInstructions(id: string, options?: RequestOptions): Promise<DepositInstructions> {
    return this.#api.call('getDepositInstructions', { path: { id } }, options)
  }

  /** Lists the deposits of an account, newest first. */
  deposits(
    id: string,
    query: Query<'listDepositsOfVirtualAccount'> = {},
    options?: RequestOptions,
  ): List<Item<'listDepositsOfVirtualAccount'>> {
    return this.#api.list('listDepositsOfVirtualAccount', { path: { id }, query }, options)
  }
}
