// KYC: what it asks for, its submission, and the links and reasons that follow.

import type { Api, Body, Query } from '../core/api.ts'
import type { RequestOptions, WriteOptions } from '../core/options.ts'
import type { EndUser, KycLinks, KycRequirements } from '../generated/types.gen.ts'

export interface SubmitKycOptions extends WriteOptions {
  /** Checks the form and reports in `requirements` what is missing. Nothing is sent to the provider. */
  readonly dryRun?: boolean
  /** Files that travel beside the JSON, by their place in it: `identifying_information[0].image_front`. At most 32 MiB. */
  readonly files?: Readonly<Record<string, Blob>>
}

export class Kyc {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Reads which fields, documents and people a submission must hold in a country. */
  requirements(query: Query<'getKycRequirements'>, options?: RequestOptions): Promise<KycRequirements> {
    return this.#api.call('getKycRequirements', { query }, options)
  }

  /**
   * Submits identity data. It passes through to the provider and is not stored.
   * @throws ValidationError `invalid_kyc_data`, whose `details` name every field at fault
   * @throws BusinessRuleError `tos_not_accepted`, `signed_agreement_invalid`, `kyc_not_resubmittable`, `provider_rejected`
   */
  submit(externalUserId: string, body: Body<'submitKyc'>, options: SubmitKycOptions = {}): Promise<EndUser> {
    const { dryRun, files, ...rest } = options
    const query = dryRun === undefined ? {} : { dryRun }
    const sent = (files === undefined ? body : formOf(body, files)) as Body<'submitKyc'>
    return this.#api.call('submitKyc', { path: { externalUserId }, query, body: sent }, rest)
  }

  /** Reads where KYC stands, why it was rejected, and the provider's hosted pages. */
  links(externalUserId: string, query: Query<'getKycLinks'> = {}, options?: RequestOptions): Promise<KycLinks> {
    return this.#api.call('getKycLinks', { path: { externalUserId }, query }, options)
  }
}

function formOf(body: Body<'submitKyc'>, files: Readonly<Record<string, Blob>>): FormData {
  const form = new FormData()
  form.set('data', new Blob([JSON.stringify(body)], { type: 'application/json' }))
  for (const [place, file] of Object.entries(files)) form.set(place, file, 'file')
  return form
}
