// KYC: required data, submission, hosted pages and rejection reasons.

import type { Api, Body, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { ApiPromise } from '../core/response.ts'
import type { EndUser, KycLinks, KycRequirements } from '../generated/types.gen.ts'

export interface SubmitKycOptions extends WriteOptions {
  /** Validates the data and returns missing fields in `requirements`. Sends nothing to the provider. */
  readonly dryRun?: boolean | undefined
  /** Files to send with the JSON, by their field: `identifying_information[0].image_front`. At most 32 MiB. */
  readonly files?: Readonly<Record<string, Blob>> | undefined
}

export class Kyc {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Returns the required fields, documents and people for a country. */
  requirements(query: Query<'getKycRequirements'>, options?: RequestOptions): ApiPromise<KycRequirements> {
    return this.#api.call('getKycRequirements', { query }, options)
  }

  /**
   * Submits identity data. Causeway sends the data to the provider and does not store it.
   * @throws ValidationError `invalid_kyc_data`, with every invalid field in `details`
   * @throws BusinessRuleError `tos_not_accepted`, `signed_agreement_invalid`, `kyc_not_resubmittable`, `provider_rejected`
   */
  submit(externalUserId: string, body: Body<'submitKyc'>, options: SubmitKycOptions = {}): ApiPromise<EndUser> {
    const { dryRun, files, ...rest } = options
    const query = dryRun === undefined ? {} : { dryRun }
    const sent = (files === undefined ? body : formOf(body, files)) as Body<'submitKyc'>
    return this.#api.call('submitKyc', { path: { externalUserId }, query, body: sent }, rest)
  }

  /** Returns the KYC status, the rejection reasons, and the provider's hosted pages. */
  links(externalUserId: string, query: Query<'getKycLinks'> = {}, options?: RequestOptions): ApiPromise<KycLinks> {
    return this.#api.call('getKycLinks', { path: { externalUserId }, query }, options)
  }
}

function formOf(body: Body<'submitKyc'>, files: Readonly<Record<string, Blob>>): FormData {
  const form = new FormData()
  form.set('data', new Blob([JSON.stringify(body)], { type: 'application/json' }))
  for (const [place, file] of Object.entries(files)) form.set(place, file, 'file')
  return form
}
