// What each command of the operator does: with the stores of a deployment, and over HTTP where its API has the operation.

import { afterRestore, skipDefault } from '../../../server/src/app/restore/after-restore.ts'
import { rotateSecrets } from '../../../server/src/app/secret-rotation/rotation.ts'
import { apiKeyView, issueApiKey, listApiKeys } from '../../../server/src/businesses/api-keys.ts'
import {
  businessView,
  changeAnyBusiness,
  createBusiness,
  listAllBusinesses,
} from '../../../server/src/businesses/service.ts'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { connectProvider } from '../../../server/src/provider/connection/connection.ts'
import { setWebhookUrl } from '../../../server/src/webhooks/endpoints/webhook-url.ts'
import { UsageError } from '../command.ts'
import { auditOperations } from './audit.ts'
import { firstPage, type Operation } from './operation.ts'

const limit = firstPage.limit
/** A thousand restores stay below 2^53. */
const skipMax = 1_000_000_000_000

export const operations: Readonly<Record<string, Operation>> = {
  migrate: { run: async () => ({ schema: 'up to date' }) }, // opening the store has done it
  'customer create': {
    run: (deps, { name }) => createBusiness(deps, { name }),
    overHttp: (api, { name }) => api.call('createCustomer', { body: { name } }),
  },
  'customer list': {
    run: async (deps) => (await listAllBusinesses(deps, {}, firstPage)).items.map(businessView),
    overHttp: (api) => api.call('listCustomers', { query: { limit } }),
  },
  'customer suspend': setStatus('suspended'),
  'customer activate': setStatus('active'),
  'customer webhook-url': {
    run: (deps, { customer, url }) => setWebhookUrl(deps, null, customer, url),
    overHttp: (api, { customer: customerId, url: webhookUrl }) =>
      api.call('setCustomerWebhookUrl', { path: { customerId }, body: { webhookUrl } }),
  },
  'key issue': {
    run: (deps, { customer, name }) => issueApiKey(deps, customer, name ? { name } : {}),
    overHttp: (api, { customer: customerId, name }) =>
      api.call('issueCustomerApiKey', { path: { customerId }, body: name ? { name } : {} }),
  },
  'key list': {
    run: async (deps, { customer }) => (await listApiKeys(deps, customer, firstPage)).items.map(apiKeyView),
    overHttp: (api, { customer: customerId }) =>
      api.call('listCustomerApiKeys', { path: { customerId }, query: { limit } }),
  },
  ...auditOperations,
  'secrets rotate': {
    run: (deps, { now }, { complain }) => rotateSecrets(deps, now === 'true', complain),
    isBad: (answer) => isJsonObject(answer) && answer['done'] !== true,
  },
  'after-restore': {
    run: (deps, { skip, endKeys }) =>
      afterRestore(deps, {
        skip: readSkip(skip),
        endKeys: endKeys === 'true',
        uptimeSeconds: performance.now() / 1_000,
      }),
  },
  'provider connect': { run: (deps, { url }) => connectProvider(deps, url) },
}

function readSkip(text: string): number {
  if (text === '') return skipDefault
  const skip = Number(text)
  if (Number.isSafeInteger(skip) && skip >= 1 && skip <= skipMax) return skip
  throw new UsageError(`--skip is a whole number from 1 to ${skipMax}`)
}

function setStatus(status: 'active' | 'suspended'): Operation {
  return {
    run: (deps, { customer }) => changeAnyBusiness(deps, customer, { status }),
    overHttp: (api, { customer: customerId }) => api.call('updateCustomer', { path: { customerId }, body: { status } }),
  }
}
