// Makes things happen in a sandbox deployment. In live mode these operations are not there.

import type { Api, Body, Data, Item, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { List } from '../core/page.ts'

export class Sandbox {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Decides the KYC of an end-user. */
  decideKyc(body: Body<'decideKyc'>, options?: WriteOptions): Promise<Data<'decideKyc'>> {
    return this.#api.call('decideKyc', { body }, options)
  }

  /** Accepts the terms as the end-user would; `kyc.submit` takes the answer's agreement. */
  acceptTerms(body: Body<'acceptTerms'>, options?: WriteOptions): Promise<Data<'acceptTerms'>> {
    return this.#api.call('acceptTerms', { body }, options)
  }

  /** Pays into an account, with an outcome of your choice. */
  simulateDeposit(body: Body<'simulateDeposit'>, options?: WriteOptions): Promise<Data<'simulateDeposit'>> {
    return this.#api.call('simulateDeposit', { body }, options)
  }

  /** Moves a simulated deposit on. */
  advanceDeposit(id: string, body: Body<'advanceDeposit'>, options?: WriteOptions): Promise<Data<'advanceDeposit'>> {
    return this.#api.call('advanceDeposit', { path: { id }, body }, options)
  }

  /** Opens a request of the provider for information about an end-user or a deposit. */
  simulateInformationRequest(
    body: Body<'simulateInformationRequest'>,
    options?: WriteOptions,
  ): Promise<Data<'simulateInformationRequest'>> {
    return this.#api.call('simulateInformationRequest', { body }, options)
  }

  /** Moves an information request to another state. */
  advanceInformationRequest(
    id: string,
    body: Body<'advanceInformationRequest'>,
    options?: WriteOptions,
  ): Promise<Data<'advanceInformationRequest'>> {
    return this.#api.call('advanceInformationRequest', { path: { id }, body }, options)
  }

  /** Reads the clock of the emulated provider. */
  clock(options?: RequestOptions): Promise<Data<'getSandboxClock'>> {
    return this.#api.call('getSandboxClock', {}, options)
  }

  /** Moves the clock of the emulated provider forward. */
  moveClock(body: Body<'moveSandboxClock'>, options?: WriteOptions): Promise<Data<'moveSandboxClock'>> {
    return this.#api.call('moveSandboxClock', { body }, options)
  }

  /** Lists the faults of the emulated provider. */
  faults(options?: RequestOptions): Promise<Data<'listSandboxFaults'>> {
    return this.#api.call('listSandboxFaults', {}, options)
  }

  /** Makes the next requests to the emulated provider fail. */
  addFault(body: Body<'addSandboxFault'>, options?: WriteOptions): Promise<Data<'addSandboxFault'>> {
    return this.#api.call('addSandboxFault', { body }, options)
  }

  /** Ends all faults of the emulated provider. */
  clearFaults(options?: WriteOptions): Promise<Data<'clearSandboxFaults'>> {
    return this.#api.call('clearSandboxFaults', {}, options)
  }

  /** Lists the webhook inboxes that endpoints lead to, with what each received. */
  inboxes(query: Query<'listSandboxInboxes'> = {}, options?: RequestOptions): List<Item<'listSandboxInboxes'>> {
    return this.#api.list('listSandboxInboxes', { query }, options)
  }

  /** Sets how the inbox of an endpoint answers. */
  configureInbox(
    id: string,
    body: Body<'configureSandboxInbox'> = {},
    options?: WriteOptions,
  ): Promise<Data<'configureSandboxInbox'>> {
    return this.#api.call('configureSandboxInbox', { path: { id }, body }, options)
  }

  /** Forgets everything, here and at the emulated provider. */
  reset(options?: WriteOptions): Promise<Data<'resetSandbox'>> {
    return this.#api.call('resetSandbox', {}, options)
  }
}
