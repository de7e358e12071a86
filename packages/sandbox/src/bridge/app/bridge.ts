// The emulated Bridge: its state, scheduler, delivery, wire and pages.
import type { Emulation, Host } from '../../app/emulation.ts'
import { createBehaviour } from '../../state/behaviour.ts'
import { createClock } from '../../state/clock.ts'
import { createScheduler } from '../../state/scheduler.ts'
import { applyDueDecision, applyDueRevocation } from '../customers/kyc.ts'
import { revealLinks } from '../customers/sessions.ts'
import { takeDueStep } from '../deposits/deposits.ts'
import { refusals, unexpectedBody } from '../forms/errors.ts'
import { registerPages } from '../pages/pages.ts'
import { behaviours, checkBehaviour } from '../state/behaviour.ts'
import { openState } from '../state/state.ts'
import type { World } from '../state/world.ts'
import { createDelivery } from '../webhooks/delivery.ts'
import { createKeyPairs } from '../webhooks/signature.ts'
import { bridgeCommands } from './commands.ts'
import { wire } from './wire.ts'

const prefix = '/v0'

export const openBridge = ({ database, settings, now, origin }: Host): Emulation => {
  const state = openState(database)
  const clock = createClock(state.clock, now)
  const scheduler = createScheduler(state.tasks, clock, 'webhook_attempt')
  const behaviour = createBehaviour(behaviours, (name) => checkBehaviour(name, origin()))
  const world: World = {
    state,
    settings,
    clock,
    behaviour,
    now: clock.now,
    origin,
    schedule: scheduler.schedule,
    cancel: scheduler.cancel,
    wakeDelivery: () => delivery.wake(),
  }
  const reveal = (json: string) => revealLinks(world, json)
  const delivery = createDelivery(world, reveal)
  const keyPairs = createKeyPairs()
  return {
    prefix,
    clock,
    behaviour,
    refusals,
    unexpectedBody,
    commands: bridgeCommands(world, delivery),
    install: async (app) => {
      await app.register(wire, { prefix, world, delivery, keyPairs })
      await registerPages(app, world)
    },
    reveal,
    advance: scheduler.advance,
    reset: () => {
      state.reset()
      delivery.wake()
    },
    start: () => {
      scheduler.start({
        kyc_decision: (id) => applyDueDecision(world, id),
        endorsement_revocation: (id) => applyDueRevocation(world, id),
        deposit_step: (id) => takeDueStep(world, id),
        webhook_attempt: (id) => delivery.wakeOne(id),
      })
      delivery.wake()
      // The first start is followed by the registration of an endpoint. A later start rarely is.
      if (state.webhooks.all().length === 0) keyPairs.warmUp()
    },
    stop: () => {
      scheduler.stop()
      delivery.close()
    },
  }
}
