// Makes things happen in a sandbox deployment. In live mode these operations are not there.

import type { Api, Body, Data } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'

export class Sandbox {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Decides the KYC of an end-user. */
  decideKyc(body: Body<'decideKyc'>, options?: WriteOptions): Promise<Data<'decideKyc'>> {
    return this.#api.call('decideKyc', { body }, options)
  }

  /** Pays into an account, with an outcome of your choice. */
  simulateDeposit(body: Body<'simulateDeposit'>, options?: WriteOptions): Promise<Data<'simulateDeposit'>> {
    return this.#api.call('simulateDeposit', { body }, options)
  }

  /** Moves a simulated deposit on. */
  advanceDeposit(id: string, body: Body<'advanceDeposit'>, options?: WriteOptions): Promise<Data<'advanceDeposit'>> {
    return this.#api.call('advanceDeposit', { path: { id }, body }, options)
  }

  /** Reads the clock of the emulated provider. */
  clock(options?: RequestOptions): Promise<Data<'getSandboxClock'>> {
    return this.#api.call('getSandboxClock', {}, options)
  }

  /** Moves the clock of the emulated provider forward. */
  moveClock(body: Body<'moveSandboxClock'>, options?: WriteOptions): Promise<Data<'moveSandboxClock'>> {
    return this.#api.call('moveSandboxClock', { body }, options)
  }

  /** Forgets everything, here and at the emulated provider. */
  reset(options?: WriteOptions): Promise<Data<'resetSandbox'>> {
    return this.#api.call('resetSandbox', {}, options)
  }
}
