// Verifies the audit log, and reports the first entry of each chain with a wrong signature or position.

import type { Core } from '../platform/core.ts'
import { type AuditHead, deploymentChain, entryText, noHash } from './audit.rules.ts'
import { type AuditKeys, auditKeys, isHeadSigned, isSigned } from './log.ts'
import * as store from './store.ts'

export type AuditFinding = {
  customerId: string
  /** The first wrong entry; for `missing`, the missing number. */
  number: number
  kind: 'altered' | 'missing' | 'unchained' | 'head_altered' | 'head_missing' | 'tail_missing' | 'not_as_published'
  message: string
}

export type AuditReport = { ok: boolean; chains: number; entries: number; findings: AuditFinding[] }

/** An earlier head from `listPublishedHeads`, kept outside the database. */
export type PublishedHead = { customerId: string; number: number; hash: string }

const pageRows = 1_000
const pageChains = 500
const findingsMax = 100

/**
 * Verifies one chain, or all. Crosses businesses: for the operator. Servers may continue to write.
 * @param published earlier heads: only they show that a whole database was restored to an older state
 * @throws Error if no deployment secret opens the keys of the chains
 */
export async function checkAudit(
  deps: Pick<Core, 'db' | 'secrets'>,
  customerId: string | null,
  published: readonly PublishedHead[] = [],
): Promise<AuditReport> {
  const keys = await deps.db.read((query) => auditKeys(deps, query))
  const report: AuditReport = { ok: true, chains: 0, entries: 0, findings: [] }
  for await (const id of customerId === null ? everyChain(deps, published) : [customerId]) {
    const chain = { keys, customerId: id, published: published.filter((head) => head.customerId === id) }
    const { entries, finding } = await checkChain(deps, chain)
    report.chains += 1
    report.entries += entries
    if (finding && report.findings.length < findingsMax) report.findings.push({ customerId: id, ...finding })
  }
  return { ...report, ok: report.findings.length === 0 }
}

async function* everyChain(deps: Pick<Core, 'db'>, published: readonly PublishedHead[]): AsyncGenerator<string> {
  const rest = new Set([deploymentChain, ...published.map((head) => head.customerId)])
  let ids: string[] = []
  do {
    const after = ids.at(-1) ?? ''
    ids = await deps.db.read((query) => store.listChains(query, after, pageChains))
    for (const id of ids) rest.delete(id)
    yield* ids
  } while (ids.length === pageChains)
  yield* rest
}

type Chain = { keys: AuditKeys; customerId: string; published: readonly PublishedHead[] }
/** The last entry that was verified. */
type Walk = { number: number; hash: Buffer }
type Fault = Omit<AuditFinding, 'customerId'> | null

async function checkChain(deps: Pick<Core, 'db'>, chain: Chain): Promise<{ entries: number; finding: Fault }> {
  let walk: Walk = { number: 0, hash: noHash }
  for (let entries = 0; ; ) {
    // Entries and head in one view of the database: an entry written in the meantime is seen with its head, or not at
    // all.
    const [rows, head] = await deps.db.transaction(async (tx) => {
      await tx`set transaction isolation level repeatable read read only`
      return [
        await store.listEntriesAfter(tx, chain.customerId, walk.number, pageRows),
        await store.findHead(tx, chain.customerId),
      ] as const
    })
    for (const row of rows) {
      entries += 1
      const finding = checkEntry(chain, walk, row)
      if (finding) return { entries, finding }
      walk = { number: row.number, hash: row.hash ?? noHash }
    }
    if (rows.length < pageRows) return { entries, finding: checkHead(chain, walk, head) }
  }
}

const fault = (number: number, kind: AuditFinding['kind'], message: string): Fault => ({ number, kind, message })

function checkEntry({ keys, published }: Chain, walk: Walk, row: store.AuditRow): Fault {
  const { number, hash, keyId } = row
  const expected = walk.number + 1
  if (number !== expected)
    return fault(expected, 'missing', `Entry ${expected} is missing: ${number} follows ${walk.number}.`)
  if (hash === null || keyId === null)
    return fault(number, 'unchained', `Entry ${number} was not written by Causeway: it has no signature of the chain.`)
  if (!isSigned(keys.get(keyId), entryText(row, keyId, walk.hash), hash))
    return fault(number, 'altered', `Entry ${number} was altered, or moved to another place of the chain.`)
  if (published.some((head) => head.number === number && head.hash !== hash.toString('hex')))
    return fault(number, 'not_as_published', `Entry ${number} is not the one that was published.`)
  return null
}

function checkHead({ keys, published }: Chain, { number, hash }: Walk, head: store.SignedHead | undefined): Fault {
  if (!head)
    return fault(
      number,
      'head_missing',
      `The head of the chain is missing: entries after ${number} may be missing as well.`,
    )
  if (!isHeadSigned(keys, head))
    return fault(number, 'head_altered', `The head of the chain was altered: entries after ${number} may be missing.`)
  if (head.number > number)
    return fault(number + 1, 'tail_missing', `Entries ${number + 1} to ${head.number} are missing at the end.`)
  if (head.number < number || !head.hash.equals(hash))
    return fault(
      number,
      'head_altered',
      `The head of the chain is out of date: it names entry ${head.number} as the last.`,
    )
  const beyond = published.find((known) => known.number > number)
  if (!beyond) return null
  return fault(
    number + 1,
    'not_as_published',
    `Entries ${number + 1} to ${beyond.number} were published and are missing.`,
  )
}

/**
 * Lists the heads of all chains, to be stored where database writers have no access: see /docs/run/security. Crosses
 * businesses.
 */
export async function listPublishedHeads(deps: Pick<Core, 'db'>): Promise<PublishedHead[]> {
  const heads: AuditHead[] = []
  let rows: AuditHead[]
  do {
    const after = heads.at(-1)?.businessId ?? ''
    rows = await deps.db.read((query) => store.listHeads(query, after, pageRows))
    heads.push(...rows)
  } while (rows.length === pageRows)
  return heads
    .filter(({ number }) => number > 0)
    .map(({ businessId, number, hash }) => ({ customerId: businessId, number, hash: hash.toString('hex') }))
}
