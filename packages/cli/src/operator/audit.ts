// The audit log from the shell: read it, check it, and keep its heads elsewhere.

import { readFile } from 'node:fs/promises'
import { auditActions } from '../../../server/src/audit/audit.rules.ts'
import { listAudit } from '../../../server/src/audit/store.ts'
import { checkAudit, listPublishedHeads, type PublishedHead } from '../../../server/src/audit/verify.ts'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { UsageError } from '../command.ts'
import { firstPage, type Operation, type Values } from './operation.ts'

const limitMax = 10_000

export const auditOperations: Readonly<Record<string, Operation>> = {
  'audit list': {
    async run(deps, values) {
      const filter = filterOf(values)
      const rows = await deps.db.read((query) => listAudit(query, values.customer || null, filter))
      return rows.map(({ hash: _, keyId: __, businessId: customerId, ...shown }) => ({ customerId, ...shown }))
    },
  },
  'audit verify': {
    run: async (deps, { customer, heads }) =>
      await checkAudit(deps, customer || null, heads === '' ? [] : await readHeads(heads)),
    isBad: (answer) => isJsonObject(answer) && answer['ok'] !== true,
  },
  'audit head': { run: (deps) => listPublishedHeads(deps) },
}

function filterOf({ type, since, limit }: Values) {
  const action = auditActions.find((known) => known === type)
  if (type !== '' && !action) throw new UsageError(`--type is one of ${auditActions.join(', ')}`)
  const from = new Date(since)
  if (since !== '' && Number.isNaN(from.getTime()))
    throw new UsageError('--since is a time, such as 2026-01-31T12:00:00Z')
  const rows = limit === '' ? firstPage.limit : Number(limit)
  if (!Number.isInteger(rows) || rows < 1 || rows > limitMax)
    throw new UsageError(`--limit is a whole number from 1 to ${limitMax}`)
  return { limit: rows, ...(action ? { action } : {}), ...(since === '' ? {} : { since: from }) }
}

async function readHeads(path: string): Promise<PublishedHead[]> {
  const held: unknown = JSON.parse(await readFile(path, 'utf8'))
  const isHead = (value: unknown): value is PublishedHead =>
    isJsonObject(value) &&
    typeof value['customerId'] === 'string' &&
    typeof value['number'] === 'number' &&
    typeof value['hash'] === 'string'
  if (!Array.isArray(held) || !held.every(isHead))
    throw new UsageError('--heads names a file that "causeway audit head" wrote')
  return held
}
