// The types of the packed SDK, as a strict program sees them.
import { type Causeway, ConflictError, type Deposit, type EndUser } from '@causeway/sdk'
import { mountOnboarding } from '@causeway/sdk/onboarding'
import { openTerms } from '@causeway/sdk/terms'
import { verify } from '@causeway/sdk/webhooks'

export async function program(api: Causeway, body: string, headers: Headers): Promise<string> {
  const user: EndUser = await api.endUsers.create({ externalUserId: 'ada' }, { idempotencyKey: 'order-1' })
  const deposits: Deposit[] = await api.deposits.list({ status: 'completed' }).toArray({ max: 10 })
  for await (const account of api.virtualAccounts.list({ limit: 5 })) if (account.status === 'failed') return account.id
  const event = await verify(body, headers, 'whsec_')
  if (event.type === 'virtual_account.payment.received') return event.data.status
  if (event.type === 'other') return event.name
  // @ts-expect-error: a misspelt member
  await api.endUsers.create({ externalUserID: 'ada' })
  // @ts-expect-error: no such state
  await api.deposits.list({ status: 'done' })
  return api.endUsers.get('ada').then(
    ({ kycStatus }) => `${kycStatus}${deposits.length}${user.id}`,
    (error: unknown) => (error instanceof ConflictError ? error.code : ''),
  )
}

export const terms = (tosLink: string): Promise<string> => openTerms({ tosLink, container: document.body })
export const onboarding = (url: string): (() => void) => mountOnboarding(document.body, { url }).unmount
