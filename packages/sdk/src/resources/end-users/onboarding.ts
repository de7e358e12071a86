// Links by which end-users onboard on the page of the service, and how that page looks.

import type { Api, Body, Item, Query } from '../../core/api.ts'
import type { RequestOptions, WriteOptions } from '../../core/options.ts'
import type { List } from '../../core/page.ts'
import type { Branding, NewOnboardingLink, OnboardingLink } from '../../generated/types.gen.ts'

export class Onboarding {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /**
   * Makes a link by which one end-user onboards; a link that was made before ends. `url` is shown here and never again. It can be
   * used for `expiresInHours`, 1 to 72, by default 24. Show it by `mountOnboarding` of `@causeway/sdk/onboarding`, or send it.
   * @throws NotFoundError `holder_not_found`; BusinessRuleError `onboarding_not_needed`
   */
  createLink(
    externalUserId: string,
    body: Body<'createOnboardingLink'> = {},
    options?: WriteOptions,
  ): Promise<NewOnboardingLink> {
    return this.#api.call('createOnboardingLink', { path: { externalUserId }, body }, options)
  }

  /** Lists the links of an end-user, newest first. The links themselves are not shown. */
  links(
    externalUserId: string,
    query: Query<'listOnboardingLinks'> = {},
    options?: RequestOptions,
  ): List<Item<'listOnboardingLinks'>> {
    return this.#api.list('listOnboardingLinks', { path: { externalUserId }, query }, options)
  }

  /** Lists the links of all end-users, newest first: which of them an API key created, and which can still be opened. */
  allLinks(
    query: Query<'listAllOnboardingLinks'> = {},
    options?: RequestOptions,
  ): List<Item<'listAllOnboardingLinks'>> {
    return this.#api.list('listAllOnboardingLinks', { query }, options)
  }

  /** Revokes a link, and ends the page that was opened by it. @throws NotFoundError `onboarding_link_not_found` */
  revokeLink(id: string, options?: WriteOptions): Promise<OnboardingLink> {
    return this.#api.call('revokeOnboardingLink', { path: { id } }, options)
  }

  /** Reads how the page looks. */
  branding(options?: RequestOptions): Promise<Branding> {
    return this.#api.call('getBranding', {}, options)
  }

  /** Sets how the page looks, and which sites may show it in a frame. What is left out is as it is by default. */
  setBranding(body: Body<'setBranding'>, options?: WriteOptions): Promise<Branding> {
    return this.#api.call('setBranding', { body }, options)
  }
}
