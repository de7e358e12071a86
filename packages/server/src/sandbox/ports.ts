// Dependencies of the sandbox operations.

import type { Terms } from '../end-users/ports.ts'
import type { Core } from '../platform/core.ts'
import type { SandboxControl } from '../provider/emulator.ts'
import type { Provider } from '../provider/port.ts'

export type Sandbox = Core & {
  provider: Terms['provider'] & Pick<Provider, 'testing'>
  /** Null unless the provider is the sandbox provider. */
  sandbox: SandboxControl | null
  /** Registers our webhook endpoint at the provider again: a sandbox provider that was reset has lost it. */
  reconnectProvider(): Promise<void>
}
