// What the operations of the sandbox need from others.

import type { Terms } from '../end-users/ports.ts'
import type { Core } from '../platform/core.ts'
import type { SandboxControl } from '../provider/emulator.ts'
import type { Write } from '../provider/port.ts'

export interface CustomersOfSandbox {
  /** In the provider's own sandbox alone: approves the customer with every endorsement that was asked for. */
  simulateKycApproval(id: string, write: Write): Promise<unknown>
  deleteCustomer(id: string): Promise<unknown>
}

export type Sandbox = Core & {
  provider: Terms['provider'] & CustomersOfSandbox
  /** Null unless the provider is the emulator. */
  sandbox: SandboxControl | null
  /** Registers our webhook endpoint at the provider again: an emulator that was reset has lost it. */
  reconnectProvider(): Promise<void>
}
