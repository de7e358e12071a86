// Creates the adapter of the configured provider.

import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/observe/log.ts'
import { createBridge } from './bridge/bridge.ts'

export type ProviderClient = ReturnType<typeof createProvider>

export function createProvider(config: Config, log?: Log) {
  return createBridge({
    baseUrl: config.providerUrl,
    apiKey: config.providerApiKey ?? '',
    timeoutMs: config.providerTimeoutMs,
    customerTimeoutMs: config.providerCustomerTimeoutMs,
    isEmulated: config.providerKind === 'sandbox',
    tosOrigin: config.tosOrigin,
    rails: config.rails,
    ...(log && { log }),
  })
}
