// What the operations of the sandbox need from others.

import type { Terms } from '../end-users/ports.ts'
import type { Core } from '../platform/core.ts'
import type { SandboxControl } from '../provider/emulator.ts'
import type { Provider } from '../provider/port.ts'

export type Sandbox = Core & {
  provider: Terms['provider'] & Pick<Provider, 'testing'>
  /** Null unless the provider is the emulator. */
  sandbox: SandboxControl | null
  /** Registers our webhook endpoint at the provider again: an emulator that was reset has lost it. */
  reconnectProvider(): Promise<void>
}
