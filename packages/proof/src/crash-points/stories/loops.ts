// The paths without a request: the work of the relay's loops.
// Above the usual length: one short scene for each path.

import { until } from '../../../../server/test/caller.ts'
import { solanaWallet } from '../../../../server/test/people.ts'
import { lastHour } from '../../../../server/test/replay.ts'
import { refusingOnce } from '../receiver.ts'
import {
  acceptTerms,
  accountTerms,
  fresh,
  newUser,
  type OpenAccount,
  openAccount,
  openPlace,
  type Place,
  submission,
} from '../world.ts'
import { accountsOf, createdEvents, lookAtChange, lookAtOpening, otherWallet } from './accounts.ts'
import { interruptedChange, interruptedLink, interruptedOpening, interruptedSubmission } from './interrupted.ts'
import { type Look, loopStory, type Scene, type Story } from './story.ts'

async function lookAtDeposit(place: Place): Promise<Look> {
  const rows = await place.rows<{ status: string }>(
    (query) => query`select status from deposits where business_id = ${place.businessId}`,
  )
  return { happened: rows[0]?.status === 'completed', faults: rows.length > 1 ? ['there is a second deposit'] : [] }
}

const depositEvents = { 'virtual_account.deposit.updated': [1, 6], 'virtual_account.payment.received': 1 } as const

const deposit = (place: Place, account: OpenAccount) =>
  place.control('POST', `/virtual_accounts/${account.upstreamId}/deposits`, { amount: '10.00' })

const sendingOf = (place: Place): Scene => ({
  place,
  request: null,
  trigger: () => place.ask('POST', `/v0/webhook-endpoints/${place.endpointId}/test`),
  events: { 'webhook_endpoint.test': 1 },
  look: async () => {
    const rows = await place.rows<{ status: string }>(
      (query) => query`select status from finished_deliveries where business_id = ${place.businessId}`,
    )
    const isOver = rows.length === 1 && rows[0]?.status === 'delivered'
    return { happened: isOver, faults: [] }
  },
})

async function waitingAccount(place: Place): Promise<{ externalUserId: string; submit(): Promise<unknown> }> {
  const externalUserId = await newUser(place)
  const body = await submission(place, externalUserId)
  await place.ask('POST', '/v0/virtual-accounts', { ...accountTerms(externalUserId), onPendingKyc: 'wait' })
  return { externalUserId, submit: () => place.ask('POST', `/v0/end-users/${externalUserId}/submit-kyc`, body) }
}

const waitingEvents = { ...createdEvents, 'end_user.tos.accepted': 1, 'end_user.kyc.updated': [1, 4] } as const

async function opensWhenApproved(place: Place): Promise<Scene> {
  const { externalUserId, submit } = await waitingAccount(place)
  return {
    place,
    request: null,
    trigger: submit,
    events: waitingEvents,
    look: async () => {
      const [row] = await accountsOf(place)
      if (row?.status === 'pending') return { happened: false, faults: [] }
      return await lookAtOpening(place, externalUserId)
    },
  }
}

async function dueDestination(place: Place): Promise<Scene> {
  const account = await openAccount(place)
  const destination = { ...solanaWallet, address: otherWallet }
  await place.ask('PATCH', `/v0/virtual-accounts/${account.id}`, { destination })
  return {
    place,
    request: null,
    async trigger() {
      await place.rows(
        (query) =>
          query`update virtual_accounts set pending_destination_at = now() where id = ${account.id} returning 1`,
      )
      await place.rows((query) => query`select pg_notify('causeway_resume', '')`)
    },
    events: { 'virtual_account.updated': 1 },
    look: async () => {
      const look = await lookAtChange(place, account, {
        here: ({ destinationAddress }) => destinationAddress === otherWallet,
        upstream: (made) => made.destination.address === otherWallet,
      })
      return { happened: look.happened, faults: look.happened ? look.faults : [] }
    },
  }
}

async function replaying(place: Place, trigger: () => Promise<unknown>): Promise<Scene> {
  for (let at = 0; at < 3; at++) await newUser(place)
  const failed = () =>
    place.rows(
      (query) => query`
        update finished_deliveries set status = 'exhausted' where business_id = ${place.businessId} returning 1`,
    )
  await until('the deliveries', async () => (await failed()).length === 3)
  const replays = () =>
    place.rows<{ state: string; queued: number }>(
      (query) => query`select state, queued from replays where business_id = ${place.businessId}`,
    )
  return {
    place,
    request: null,
    trigger,
    look: async () => {
      const [row] = await replays()
      const happened = row?.state === 'done'
      return { happened, faults: happened && row.queued !== 3 ? [`it queued ${row.queued} of 3`] : [] }
    },
  }
}

const replayOfEvents = (place: Place): Promise<Scene> =>
  replaying(place, () =>
    place.ask('POST', `/v0/webhook-endpoints/${place.endpointId}/replay`, { ...lastHour(), status: 'all' }),
  )
const retryOfFailed = (place: Place): Promise<Scene> =>
  replaying(place, () => place.ask('POST', '/v0/deliveries/retry', { filter: {} }))

async function erasureInPieces(place: Place): Promise<Scene> {
  const externalUserId = await newUser(place)
  await acceptTerms(place, externalUserId)
  await place.ask('DELETE', `/v0/end-users/${externalUserId}`)
  const open = () => place.rows((query) => query`select 1 from erasures where business_id = ${place.businessId}`)
  return {
    place,
    request: null,
    // As if a minute had passed, and the server had died before it looked at its end again.
    trigger: () =>
      place.rows(
        (query) => query`
          update erasures set position = 0, created_at = now() - interval '2 minutes'
          where business_id = ${place.businessId} returning 1`,
      ),
    look: async () => ({ happened: (await open()).length === 0, faults: [] }),
  }
}

async function lateOwner(place: Place): Promise<Scene> {
  const externalUserId = fresh('late')
  const eventId = fresh('wh')
  const customer = { event_id: eventId, event_type: 'test.happened', external_user_id: externalUserId }
  await place.send({ method: 'POST', path: '/v0/webhooks/provider', body: customer, as: 'provider' })
  const due = (inSeconds: number) =>
    place.rows(
      (query) => query`
      update event_work set due_at = now() + make_interval(secs => ${inSeconds})
      where event_id = (select id from events where provider_event_id = ${eventId}) and error is not null returning 1`,
    )
  // After a first attempt without a result, no retry is due, so only the trigger below gives the loop this work.
  await until('the first look', async () => (await due(3_600)).length > 0)
  // Before the loop may die: the server that dies must not take the end-user with it.
  await place.ask('POST', '/v0/end-users', { externalUserId })
  return {
    place,
    request: null,
    async trigger() {
      await due(0)
      await place.rows((query) => query`select pg_notify('causeway_apply', '')`)
    },
    look: async () => {
      const [row] = await place.rows<{ businessId: string | null }>(
        (query) => query`select business_id from events where provider_event_id = ${eventId}`,
      )
      return { happened: row?.businessId === place.businessId, faults: [] }
    },
  }
}

async function missedEvents(place: Place): Promise<Scene> {
  const account = await openAccount(place)
  // Continue the record after the events of earlier scenes.
  const { data } = (await place.control('GET', '/events')).body
  const last: string = data.at(-1).event_id
  await place.rows(
    (query) => query`
      update event_pull set cursor_event_id = ${last}, read_event_id = null, began_at = null
      returning 1`,
  )
  return {
    place,
    request: null,
    // No server is listening: events of the provider arrive through its record, or through a later attempt of the provider.
    trigger: () => deposit(place, account),
    events: depositEvents,
    look: () => lookAtDeposit(place),
  }
}

async function walkOverAll(place: Place): Promise<Scene> {
  await openAccount(place)
  const begun = async () => {
    const [row] = await place.rows<{ endedAt: Date | null }>((query) => query`select ended_at from reread_walk`)
    return row?.endedAt ?? null
  }
  let before: Date | null = null
  return {
    place,
    request: null,
    async trigger() {
      before = await begun()
      // The accounts of earlier scenes are not walked over again.
      await place.rows(
        (query) => query`
          update virtual_accounts set status = 'failed' where business_id <> ${place.businessId} returning 1`,
      )
      await place.rows(
        (query) => query`
          update reread_walk set due_at = now(), lease_until = now(), stage = 'virtual_accounts', requested_at = now(),
            after_business_id = ${place.businessId}, after_id = '' returning 1`,
      )
    },
    look: async () => ({ happened: (await begun())?.getTime() !== before?.getTime(), faults: [] }),
  }
}

const scene = (make: (place: Place) => Promise<Scene> | Scene, hook?: string) => ({
  prepare: async (stage: Parameters<Story['prepare']>[0]) => await make(await openPlace(stage, hook)),
})

const reconciling = { RECONCILE_PERIOD_SECONDS: '300' }

export const loopStories: readonly Story[] = [
  loopStory('send-delivery', 'send', scene(sendingOf)),
  loopStory('send-delivery-refused-once', 'send', scene(sendingOf, refusingOnce)),
  loopStory(
    'apply-deposit',
    'apply',
    scene(async (place) => {
      const account = await openAccount(place)
      const look = () => lookAtDeposit(place)
      return { place, request: null, trigger: () => deposit(place, account), events: depositEvents, look }
    }),
  ),
  loopStory('apply-event-of-late-owner', 'apply', scene(lateOwner)),
  loopStory('approve-waiting-account', 'apply', scene(opensWhenApproved)),
  loopStory('open-waiting-account', 'resume', scene(opensWhenApproved)),
  loopStory('resume-opening', 'resume', scene(interruptedOpening)),
  loopStory('resume-change', 'resume', scene(interruptedChange)),
  loopStory('resume-submission', 'resume', scene(interruptedSubmission)),
  loopStory('resume-tos-link', 'resume', scene(interruptedLink)),
  loopStory('change-due-destination', 'resume', {
    ...scene(dueDestination),
    env: { DESTINATION_CHANGE_DELAY_MINUTES: '60' },
  }),
  loopStory('replay-events', 'replay', scene(replayOfEvents)),
  loopStory('retry-failed-deliveries', 'replay', scene(retryOfFailed)),
  loopStory('finish-erasure', 'sweep', scene(erasureInPieces), true),
  loopStory('pull-missed-events', 'pull', { ...scene(missedEvents), env: reconciling }, true),
  loopStory('reread-accounts', 'reread', { ...scene(walkOverAll), env: reconciling }, true),
]
