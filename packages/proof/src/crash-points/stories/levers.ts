// The levers of the emulated provider that the API passes on. They move no money; what they do has no key upstream.

import { until } from '../../../../server/test/caller.ts'
import { arrivedDeposit, fresh, newUser, openAccount, openPlace, type Place, submission } from '../world.ts'
import { operationStory, type Story, withoutKey } from './story.ts'

async function depositsOf(place: Place): Promise<readonly { status: string; id: string }[]> {
  return await place.rows((query) => query`select id, status from deposits where business_id = ${place.businessId}`)
}

async function requestsOf(place: Place): Promise<readonly { state: string; id: string }[]> {
  return await place.rows(
    (query) => query`select id, state from information_requests where business_id = ${place.businessId}`,
  )
}

const depositEvents = {
  'virtual_account.deposit.updated': [1, 12],
  'virtual_account.payment.received': [0, 2],
} as const
const kycEvents = { 'end_user.kyc.updated': [0, 6] } as const

export const leverStories: readonly Story[] = [
  operationStory('simulateDeposit', {
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      const { id } = await openAccount(place)
      const body = { virtualAccountId: id, amount: '10.00' }
      return {
        place,
        request: { method: 'POST', path: '/v0/sandbox/deposits', body },
        events: depositEvents,
        look: async () => {
          const deposits = await depositsOf(place)
          const isOver = deposits.every(({ status }) => status === 'completed')
          return { happened: deposits.length > 0, faults: isOver ? [] : ['a deposit is not completed'] }
        },
      }
    },
  }),

  operationStory('advanceDeposit', {
    orElse: ['provider_rejected'],
    async prepare(stage) {
      const place = await openPlace(stage)
      const { id } = await openAccount(place)
      await place.ask('POST', '/v0/sandbox/deposits', { virtualAccountId: id, amount: '10.00', outcome: 'in_review' })
      const deposit = await until('the review', async () =>
        (await depositsOf(place)).find(({ status }) => status === 'in_review'),
      )
      return {
        place,
        request: { method: 'POST', path: `/v0/sandbox/deposits/${deposit.id}/advance`, body: { to: 'completed' } },
        events: { 'virtual_account.deposit.updated': [0, 6], 'virtual_account.payment.received': [0, 1] },
        look: async () => {
          const [now] = await depositsOf(place)
          return { happened: now?.status !== 'in_review', faults: [] }
        },
      }
    },
  }),

  operationStory('decideKyc', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = await newUser(place)
      const body = await submission(place, externalUserId)
      await place.ask('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body)
      const status = async () => (await place.ask('GET', `/v0/end-users/${externalUserId}`)).kycStatus
      await until('the approval', async () => (await status()) === 'approved')
      return {
        place,
        request: { method: 'POST', path: '/v0/sandbox/kyc-decisions', body: { externalUserId, decision: 'reject' } },
        events: kycEvents,
        look: async () => ({ happened: (await status()) === 'rejected', faults: [] }),
      }
    },
  }),

  operationStory('simulateInformationRequest', {
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      const { externalUserId } = await openAccount(place)
      return {
        place,
        request: { method: 'POST', path: '/v0/sandbox/information-requests', body: { externalUserId } },
        events: { 'information_request.updated': [0, 2] },
        look: async () => ({ happened: (await requestsOf(place)).length > 0, faults: [] }),
      }
    },
  }),

  operationStory('advanceInformationRequest', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const { externalUserId } = await openAccount(place)
      await place.ask('POST', '/v0/sandbox/information-requests', { externalUserId })
      const { id } = await until('the request', async () => (await requestsOf(place))[0])
      return {
        place,
        request: { method: 'POST', path: `/v0/sandbox/information-requests/${id}/advance`, body: { to: 'closed' } },
        events: { 'information_request.updated': [0, 2] },
        look: async () => ({ happened: (await requestsOf(place))[0]?.state === 'closed', faults: [] }),
      }
    },
  }),

  operationStory('moveSandboxClock', {
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      // All businesses share the clock, so only the response can be checked.
      return {
        place,
        request: { method: 'POST', path: '/v0/sandbox/clock', body: { advanceSeconds: 1 } },
        look: async () => ({ happened: true, faults: [] }),
      }
    },
  }),

  operationStory('acceptTerms', {
    async prepare(stage) {
      const place = await openPlace(stage)
      const externalUserId = await newUser(place)
      const links = () => place.rows((query) => query`select 1 from tos_links where business_id = ${place.businessId}`)
      return {
        place,
        request: { method: 'POST', path: '/v0/sandbox/terms-acceptances', body: { externalUserId } },
        // Only the response shows that the emulator accepted the terms. The link is stored once.
        look: async () => ({
          happened: true,
          faults: (await links()).length > 1 ? ['the end-user has two links'] : [],
        }),
      }
    },
  }),

  ...(['addSandboxFault', 'clearSandboxFaults'] as const).map((operation) =>
    operationStory(operation, {
      again: withoutKey,
      async prepare(stage) {
        const place = await openPlace(stage)
        const path = '/v0/sandbox/faults'
        const body = { path: '^/v0/nothing$', mode: 'status' }
        // Faults are everybody's, as the clock is.
        return {
          place,
          request: operation === 'addSandboxFault' ? { method: 'POST', path, body } : { method: 'DELETE', path },
          look: async () => ({ happened: true, faults: [] }),
        }
      },
    }),
  ),

  operationStory('configureSandboxInbox', {
    again: withoutKey,
    async prepare(stage) {
      const place = await openPlace(stage)
      const webhookUrl = `${new URL(stage.provider.url).origin}/inbox/${fresh('inbox')}`
      const { id } = await place.ask('POST', '/v0/webhook-endpoints', { webhookUrl })
      const inboxes = () => place.ask('GET', '/v0/sandbox/inboxes')
      return {
        place,
        request: { method: 'PUT', path: `/v0/sandbox/inboxes/${id}`, body: { failNext: 1 } },
        look: async () => {
          const [inbox] = await inboxes()
          return { happened: inbox.settings.failNext === 1, faults: [] }
        },
      }
    },
  }),

  operationStory('resetSandbox', {
    // Many customers that are gone at once look like the key of another account at the provider, and nothing is concluded from them.
    alone: true,
    async prepare(stage) {
      const place = await openPlace(stage)
      const account = await openAccount(place)
      await arrivedDeposit(place, account)
      const users = () => place.rows((query) => query`select 1 from end_users where business_id = ${place.businessId}`)
      return {
        place,
        request: { method: 'POST', path: '/v0/sandbox/reset' },
        events: { 'end_user.kyc.updated': [0, 2], 'virtual_account.suspended': [0, 1] },
        // The provider's customer goes first. A read of an end-user that is left finds no customer, and suspends the account.
        eventsOfPieces: { 'end_user.kyc.updated': [0, 1], 'virtual_account.suspended': [0, 1] },
        look: async () => ({ happened: (await users()).length === 0, faults: [] }),
      }
    },
  }),
]
