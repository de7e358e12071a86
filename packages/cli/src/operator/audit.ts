// The audit log on the command line: list entries, verify the chains, and print their heads.

import { readFile } from 'node:fs/promises'
import { auditActions } from '../../../server/src/audit/audit.rules.ts'
import { listAudit } from '../../../server/src/audit/store.ts'
import { checkAudit, listPublishedHeads, type PublishedHead } from '../../../server/src/audit/verify.ts'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { UsageError } from '../command.ts'
import type { Operation, Values } from './operation.ts'

const limitDefault = 100
const limitMax = 10_000

export const auditOperations: Readonly<Record<string, Operation>> = {
  'audit-log list-all': {
    async run(deps, values) {
      const filter = filterOf(values)
      const rows = await deps.db.read((query) => listAudit(query, values.customer || null, filter))
      return rows.map(({ hash: _, keyId: __, businessId: customerId, ...shown }) => ({ customerId, ...shown }))
    },
  },
  'audit-log verify': {
    run: async (deps, { customer, heads }) =>
      await checkAudit(deps, customer || null, heads === '' ? [] : await readHeads(heads)),
    isBad: (answer) => isJsonObject(answer) && answer['ok'] !== true,
  },
  'audit-log head': { run: (deps) => listPublishedHeads(deps) },
}

function filterOf({ type, since, limit }: Values) {
  const action = auditActions.find((known) => known === type)
  if (type !== '' && !action) throw new UsageError(`--type takes one of ${auditActions.join(', ')}`)
  const from = new Date(since)
  if (since !== '' && Number.isNaN(from.getTime()))
    throw new UsageError('--since takes a time, such as 2026-01-31T12:00:00Z')
  const rows = limit === '' ? limitDefault : Number(limit)
  if (!Number.isInteger(rows) || rows < 1 || rows > limitMax)
    throw new UsageError(`--limit takes a whole number from 1 to ${limitMax}`)
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
    throw new UsageError('--heads takes a file that "causeway audit-log head" printed')
  return held
}
