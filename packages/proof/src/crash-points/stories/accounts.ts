// Virtual accounts: opened, changed, stopped and taken up again.

import { solanaWallet } from '../../../../server/test/people.ts'
import { accountTerms, approvedUser, newUser, type OpenAccount, openAccount, openPlace, type Place } from '../world.ts'
import { type Look, operationStory, type Scene, type Story } from './story.ts'

export type AccountRow = {
  id: string
  status: string
  providerVirtualAccountId: string | null
  developerFeePercent: string
  destinationAddress: string
}

export async function accountsOf(place: Place): Promise<readonly AccountRow[]> {
  return await place.rows((query) => query`select * from virtual_accounts where business_id = ${place.businessId}`)
}

export async function lookAtOpening(place: Place, externalUserId: string): Promise<Look> {
  const ours = await accountsOf(place)
  const { providerCustomerId } = await place.ask('GET', `/v0/end-users/${externalUserId}`)
  const theirs: { id: string }[] = (await place.upstream(`/customers/${providerCustomerId}/virtual_accounts`)).data
  const faults: string[] = []
  if (theirs.length > 1) faults.push(`the provider has ${theirs.length} accounts`)
  if (ours.length !== theirs.length) faults.push(`we hold ${ours.length} accounts, the provider ${theirs.length}`)
  const [row] = ours
  if (row && row.status !== 'active') faults.push(`the account is ${row.status}`)
  if (row && row.providerVirtualAccountId !== theirs[0]?.id) faults.push('we hold another account than the provider')
  return { happened: theirs.length > 0, faults }
}

export const otherWallet = '4Nd1mYQzvgV8Vr3Z3nYb7pD6T8K2jF2eqWxY1uQxHn4T'

export const createdEvents = { 'virtual_account.created': 1 }

type Upstream = { status: string; developer_fee_percent: string; destination: { address: string } }

/** The new destination, as both sides show it. */
export async function lookAtChange(
  place: Place,
  account: OpenAccount,
  isSo: { here: (row: AccountRow) => boolean; upstream: (made: Upstream) => boolean },
): Promise<Look> {
  const row = (await accountsOf(place)).find(({ id }) => id === account.id)
  const listed: (Upstream & { id: string })[] = (
    await place.upstream(`/customers/${account.customerId}/virtual_accounts`)
  ).data
  const made = listed.find(({ id }) => id === account.upstreamId)
  if (!row || !made) return { happened: false, faults: ['the account is gone'] }
  const [here, upstream] = [isSo.here(row), isSo.upstream(made)]
  return { happened: here, faults: here === upstream ? [] : [`changed here: ${here}, upstream: ${upstream}`] }
}

const change = async (
  place: Place,
  method: string,
  under: string,
  body: unknown,
  event: string,
  isSo: Parameters<typeof lookAtChange>[2],
  account: OpenAccount,
): Promise<Scene> => ({
  place,
  request: { method, path: `/v0/virtual-accounts/${account.id}${under}`, ...(body === undefined ? {} : { body }) },
  events: { [event]: 1 },
  look: () => lookAtChange(place, account, isSo),
})

export const accountStories: readonly Story[] = [
  operationStory('createVirtualAccount', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = await approvedUser(place)
      return {
        place,
        request: { method: 'POST', path: '/v0/virtual-accounts', body: accountTerms(externalUserId) },
        events: createdEvents,
        look: () => lookAtOpening(place, externalUserId),
      }
    },
  }),

  operationStory('createVirtualAccount', {
    name: 'create-waiting-account',
    async prepare(stage) {
      const place = await openPlace(stage)
      const body = { ...accountTerms(await newUser(place)), onPendingKyc: 'wait' }
      return {
        place,
        request: { method: 'POST', path: '/v0/virtual-accounts', body },
        look: async () => {
          const ours = await accountsOf(place)
          const isPending = ours.every(({ status }) => status === 'pending')
          return {
            happened: ours.length > 0,
            faults: ours.length > 1 || !isPending ? ['it is not one pending account'] : [],
          }
        },
      }
    },
  }),

  operationStory('updateVirtualAccount', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const isSo = {
        here: (row: AccountRow) => row.developerFeePercent === '0.75',
        upstream: (made: Upstream) => Number(made.developer_fee_percent) === 0.75,
      }
      const body = { developer_fee_percent: '0.75' }
      return await change(place, 'PATCH', '', body, 'virtual_account.updated', isSo, await openAccount(place))
    },
  }),

  operationStory('updateVirtualAccount', {
    name: 'change-destination',
    async prepare(stage) {
      const place = await openPlace(stage)
      const body = { destination: { ...solanaWallet, address: otherWallet } }
      const isSo = {
        here: (row: AccountRow) => row.destinationAddress === otherWallet,
        upstream: (made: Upstream) => made.destination.address === otherWallet,
      }
      return await change(place, 'PATCH', '', body, 'virtual_account.updated', isSo, await openAccount(place))
    },
  }),

  operationStory('updateVirtualAccount', {
    name: 'schedule-destination',
    env: { DESTINATION_CHANGE_DELAY_MINUTES: '60' },
    async prepare(stage) {
      const place = await openPlace(stage)
      const { id } = await openAccount(place)
      const body = { destination: { ...solanaWallet, address: otherWallet } }
      const waits = () =>
        place.rows(
          (query) => query`select 1 from virtual_accounts where id = ${id} and pending_destination_at is not null`,
        )
      return {
        place,
        request: { method: 'PATCH', path: `/v0/virtual-accounts/${id}`, body },
        events: { 'virtual_account.updated': 1 },
        look: async () => ({ happened: (await waits()).length === 1, faults: [] }),
      }
    },
  }),

  operationStory('deactivateVirtualAccount', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const isSo = {
        here: (row: AccountRow) => row.status === 'deactivated',
        upstream: (made: Upstream) => made.status === 'deactivated',
      }
      return await change(
        place,
        'POST',
        '/deactivate',
        undefined,
        'virtual_account.deactivated',
        isSo,
        await openAccount(place),
      )
    },
  }),

  operationStory('reactivateVirtualAccount', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const account = await openAccount(place)
      await place.ask('POST', `/v0/virtual-accounts/${account.id}/deactivate`)
      const isSo = {
        here: (row: AccountRow) => row.status === 'active',
        upstream: (made: Upstream) => made.status === 'activated',
      }
      return await change(place, 'POST', '/reactivate', undefined, 'virtual_account.reactivated', isSo, account)
    },
  }),
]
