// Writes at the provider whose response was lost, and which the resume loop completes.

import { accountTerms, approvedUser, newUser, openAccount, type Place, submission } from '../world.ts'
import { accountsOf, createdEvents, lookAtChange, lookAtOpening } from './accounts.ts'
import type { Scene } from './story.ts'

/** The next write, in all of its tries, goes wrong after the provider has done it. */
async function cutAfter(place: Place, path: string, { method = 'POST', times = 1 } = {}): Promise<void> {
  const answer = await place.control('POST', '/faults', { path, method, mode: 'cut_after', times })
  if (answer.status !== 200) throw new Error(answer.text)
}

export async function interruptedOpening(place: Place): Promise<Scene> {
  const externalUserId = await approvedUser(place)
  const { providerCustomerId } = await place.ask('GET', `/v0/end-users/${externalUserId}`)
  return {
    place,
    request: null,
    async trigger() {
      await cutAfter(place, `^/v0/customers/${providerCustomerId}/virtual_accounts$`)
      await place.send({ method: 'POST', path: '/v0/virtual-accounts', body: accountTerms(externalUserId) })
    },
    events: createdEvents,
    look: async () => {
      const [row] = await accountsOf(place)
      return row?.status === 'active' ? await lookAtOpening(place, externalUserId) : { happened: false, faults: [] }
    },
  }
}

export async function interruptedChange(place: Place): Promise<Scene> {
  const account = await openAccount(place)
  return {
    place,
    request: null,
    async trigger() {
      await cutAfter(place, `^/v0/customers/${account.customerId}/virtual_accounts/[^/]+/deactivate$`)
      await place.send({ method: 'POST', path: `/v0/virtual-accounts/${account.id}/deactivate` })
    },
    events: { 'virtual_account.deactivated': 1 },
    look: async () => {
      const look = await lookAtChange(place, account, {
        here: ({ status }) => status === 'deactivated',
        upstream: ({ status }) => status === 'deactivated',
      })
      return { happened: look.happened, faults: look.happened ? look.faults : [] }
    },
  }
}

export async function interruptedSubmission(place: Place): Promise<Scene> {
  const externalUserId = await newUser(place)
  const body = await submission(place, externalUserId)
  return {
    place,
    request: null,
    async trigger() {
      await cutAfter(place, '^/v0/customers$', { times: 2 })
      await place.send({ method: 'POST', path: `/v0/end-users/${externalUserId}/submit-kyc`, body })
    },
    events: { 'end_user.tos.accepted': [0, 1], 'end_user.kyc.updated': [1, 4] },
    look: async () => {
      const { providerCustomerId, kycStatus } = await place.ask('GET', `/v0/end-users/${externalUserId}`)
      return { happened: providerCustomerId !== null && kycStatus === 'approved', faults: [] }
    },
  }
}

export async function interruptedLink(place: Place): Promise<Scene> {
  const externalUserId = await newUser(place)
  const links = () => place.rows((query) => query`select 1 from tos_links where business_id = ${place.businessId}`)
  return {
    place,
    request: null,
    async trigger() {
      await cutAfter(place, '^/v0/customers/tos_links$')
      await place.send({ method: 'POST', path: `/v0/end-users/${externalUserId}/tos-link`, body: {} })
    },
    look: async () => {
      const count = (await links()).length
      return { happened: count > 0, faults: count > 1 ? ['there are two links'] : [] }
    },
  }
}
