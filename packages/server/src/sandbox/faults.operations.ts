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
    '`status`: returns the HTTP status `status`. `refuse`: returns the provider’s error `code`. `delay`: waits `delayMs`, then succeeds. `cut_before`, `cut_after`: closes the connection before or after the request takes effect. `unreadable`: the request takes effect, and the response is `body`, or contains only the IDs of the objects. `garbage`: returns invalid JSON. `hang`: never responds.',
})

const fault = named('SandboxFault', {
  id: Type.String(),
  path: Type.String({ description: 'A regular expression over the path at the provider, with `/v0`.' }),
  method: nullable(Type.String({ description: 'Null: any method.' })),
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
  code: Type.Optional(oneOf('SandboxFaultRefusal', faultRefusals, { description: 'Required for `refuse`.' })),
  status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599, default: 500 })),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, default: 1_000 })),
})

const { read, write } = operationsOf<Sandbox>('Sandbox', 'virtual_accounts')

export const sandboxFaultOperations = [
  read('GET /v0/sandbox/faults', {
    id: 'listSandboxFaults',
    summary: 'List simulated provider errors',
    sdk: 'sandbox.faults()',
    when: isEmulated,
    data: Type.Array(fault, { maxItems: faultsMax }),
    errors: awayErrors,
    run: ({ deps }) => listFaults(deps),
  }),

  write('POST /v0/sandbox/faults', {
    id: 'addSandboxFault',
    summary: 'Simulate provider errors',
    sdk: 'sandbox.addFault(body)',
    when: isEmulated,
    example: { body: () => ({ path: '^/v0/nothing$', mode: 'status' }) },
    audit: { none: 'the emulator only' },
    description:
      'The next `times` matching requests fail, for all businesses of this deployment. This includes every request that Causeway sends to the provider, such as reconciliation.',
    body: newFault,
    data: fault,
    errors: ['invalid_value', ...upstreamErrors],
    run: ({ deps, body }) => addFault(deps, body),
  }),

  write('DELETE /v0/sandbox/faults', {
    id: 'clearSandboxFaults',
    summary: 'Clear all simulated provider errors',
    sdk: 'sandbox.clearFaults()',
    when: isEmulated,
    audit: { none: 'the emulator only' },
    data: named('ClearedSandboxFaults', { cleared: Type.Integer({ description: 'The number of cleared errors.' }) }),
    errors: awayErrors,
    run: ({ deps }) => clearFaults(deps),
  }),
]
