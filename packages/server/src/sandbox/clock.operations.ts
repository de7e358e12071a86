// The clock of the emulated provider, which is everybody's.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, isoTime, named } from '../platform/http/schema/schema.ts'
import { awayErrors } from '../platform/http/serve.ts'
import type { Sandbox } from './ports.ts'
import { isEmulated, leverErrors, moveSandboxClock, readSandboxClock } from './service.ts'

const clock = named('SandboxClock', {
  now: isoTime,
  offsetSeconds: Type.Integer({ description: 'The seconds by which the sandbox clock is ahead of real time.' }),
})

const ofAnyKey = operationsOf<Sandbox>('Sandbox', null)
const { write } = operationsOf<Sandbox>('Sandbox', 'virtual_accounts')

export const sandboxClockOperations = [
  ofAnyKey.read('GET /v0/sandbox/clock', {
    id: 'getSandboxClock',
    summary: 'Read the sandbox clock',
    sdk: 'sandbox.clock()',
    when: isEmulated,
    data: clock,
    errors: [...awayErrors],
    run: ({ deps }) => readSandboxClock(deps),
  }),

  write('POST /v0/sandbox/clock', {
    id: 'moveSandboxClock',
    summary: 'Advance the sandbox clock',
    sdk: 'sandbox.moveClock(body)',
    when: isEmulated,
    example: { body: () => ({ advanceSeconds: 1 }) },
    audit: { none: 'the emulator only' },
    assistant: 'destroys',
    description:
      'Anything due in the skipped time happens immediately, such as decisions and scheduled transfers. All businesses of this deployment share this clock. Causeway’s own clock and webhook retries do not change.',
    body: closed({ advanceSeconds: Type.Integer({ minimum: 1, maximum: 34_560_000 }) }),
    data: clock,
    errors: leverErrors,
    run: ({ deps, body }) => moveSandboxClock(deps, body.advanceSeconds),
  }),
]
