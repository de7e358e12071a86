// Faults of the emulated provider: its next requests fail in a chosen way.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { awayErrors, upstreamErrors } from '../platform/http/serve.ts'
import { faultRefusals } from '../provider/emulator.ts'
import { addFault, clearFaults, faultModes, listFaults } from './faults.ts'
import type { Sandbox } from './ports.ts'
import { isEmulated } from './service.ts'

const faultsMax = 100

const mode = oneOf('SandboxFaultMode', faultModes, {
  description:
    '`status`: answers `status`. `refuse`: answers the provider’s refusal `code`. `delay`: waits `delayMs`, then works. `cut_before`, `cut_after`: breaks the connection before or after the work is done. `unreadable`: does the work, and responds with `body`, or with nothing but the IDs of the objects. `garbage`: answers no JSON. `hang`: never answers.',
})

const fault = named('SandboxFault', {
  id: Type.String(),
  path: Type.String({ description: 'A regular expression over the path at the provider, with `/v0`.' }),
  method: nullable(Type.String({ description: 'Null: any.' })),
  mode,
  status: Type.Integer(),
  delayMs: Type.Integer(),
  timesLeft: Type.Integer({ description: 'How many requests it still applies to.' }),
  hits: Type.Integer({ description: 'How many requests it applied to.' }),
})

const newFault = closed({
  path: lineOf(256, {
    description: 'A regular expression over the path at the provider, with `/v0`.',
    examples: ['^/v0/customers$'],
  }),
  mode,
  method: Type.Optional(oneOf('SandboxFaultMethod', ['GET', 'POST', 'PUT', 'DELETE'])),
  code: Type.Optional(oneOf('SandboxFaultRefusal', faultRefusals, { description: 'Of `refuse`, which needs one.' })),
  status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599, default: 500 })),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, default: 1_000 })),
})

const { read, write } = operationsOf<Sandbox>('Sandbox', 'virtual_accounts')

export const sandboxFaultOperations = [
  read('GET /v0/sandbox/faults', {
    id: 'listSandboxFaults',
    summary: 'List the faults of the emulated provider',
    sdk: 'sandbox.faults()',
    when: isEmulated,
    data: Type.Array(fault, { maxItems: faultsMax }),
    errors: awayErrors,
    run: ({ deps }) => listFaults(deps),
  }),

  write('POST /v0/sandbox/faults', {
    id: 'addSandboxFault',
    summary: 'Make requests to the emulated provider fail',
    sdk: 'sandbox.addFault(body)',
    when: isEmulated,
    example: { body: () => ({ path: '^/v0/nothing$', mode: 'status' }) },
    audit: { none: 'the emulator only' },
    description:
      'The next `times` requests that fit fail, for all businesses of this deployment: whatever Causeway sends to the provider, its reconciliation included.',
    body: newFault,
    data: fault,
    errors: ['invalid_value', ...upstreamErrors],
    run: ({ deps, body }) => addFault(deps, body),
  }),

  write('DELETE /v0/sandbox/faults', {
    id: 'clearSandboxFaults',
    summary: 'End all faults of the emulated provider',
    sdk: 'sandbox.clearFaults()',
    when: isEmulated,
    audit: { none: 'the emulator only' },
    data: named('ClearedSandboxFaults', { cleared: Type.Integer({ description: 'How many there were.' }) }),
    errors: awayErrors,
    run: ({ deps }) => clearFaults(deps),
  }),
]
