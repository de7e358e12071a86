// The control commands under /_sandbox: they do what a bank, a compliance officer or a bad network would do. They need no
// key, so in a browser only the sandbox's own pages may call them.
import type { FastifyInstance } from 'fastify'
import { refuse } from '../platform/errors.ts'
import { installOperations, type Operation } from '../platform/operations.ts'
import { advanceIn, renderClock } from '../state/clock.ts'
import type { Emulation } from './emulation.ts'
import type { Faults } from './faults.ts'

type Parts = { emulation: Emulation; faults: Faults; origin: () => string }

const unexpectedBody = { code: 'unexpected', message: 'The command failed unexpectedly' }

export const control = async (app: FastifyInstance, { emulation, faults, origin: ownOrigin }: Parts): Promise<void> => {
  app.addHook('onRequest', async (request) => {
    const { origin, 'sec-fetch-site': site } = request.headers
    const isForeign = (origin !== undefined && origin !== ownOrigin()) || site === 'cross-site'
    if (isForeign) throw refuse(403, 'foreign_origin', 'Other sites cannot send control commands')
  })
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? emulation.reveal(payload) : payload,
  )
  const operations = [
    ...emulation.commands,
    resetCommand(emulation, faults),
    ...clockCommands(emulation),
    ...faultCommands(faults),
    ...behaviourCommands(emulation),
  ]
  installOperations(app, operations, unexpectedBody)
}

const resetCommand = (emulation: Emulation, faults: Faults): Operation => ({
  method: 'POST',
  path: '/reset',
  run: () => {
    emulation.reset()
    emulation.behaviour.reset()
    faults.clear()
    return { reset: true }
  },
})

const clockCommands = ({ clock, advance }: Emulation): Operation[] => [
  { method: 'GET', path: '/clock', run: () => renderClock(clock) },
  {
    method: 'POST',
    path: '/clock',
    run: ({ body }) => {
      advance(advanceIn(clock, body))
      return renderClock(clock)
    },
  },
]

const faultCommands = (faults: Faults): Operation[] => [
  { method: 'POST', path: '/faults', run: ({ body }) => faults.add(body) },
  { method: 'GET', path: '/faults', run: () => ({ count: faults.list().length, data: faults.list() }) },
  {
    method: 'DELETE',
    path: '/faults',
    run: () => {
      const cleared = faults.list().length
      faults.clear()
      return { cleared }
    },
  },
]

const behaviourCommands = ({ behaviour }: Emulation): Operation[] => [
  { method: 'GET', path: '/behaviour', run: () => behaviour.all() },
  {
    method: 'POST',
    path: '/behaviour',
    run: ({ body }) => {
      behaviour.change(body)
      return behaviour.all()
    },
  },
]
