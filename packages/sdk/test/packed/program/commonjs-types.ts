// The types of the packed SDK in a program for CommonJS whose resolution of modules knows no `exports`.
import { ApiError, Causeway, type EndUser } from '@causeway/sdk'
import { mountOnboarding } from '@causeway/sdk/onboarding'
import { openTerms } from '@causeway/sdk/terms'
import { type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'

export const api = new Causeway({ baseUrl: 'https://causeway.example.com', apiKey: null, timeoutMs: undefined })
export const user: Promise<EndUser> = api.endUsers.create({ externalUserId: 'ada', email: undefined })
export const event: Promise<VerifiedWebhook> = verify('', {}, 'whsec_')
export const browser = [mountOnboarding, openTerms]
export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : null)
// @ts-expect-error: the codes are a closed union
export const isMisspelt = (error: unknown) => error instanceof ApiError && error.code === 'typo_not_a_code'
