// Recomputes the audit log, and names the first row of each chain that does not fit.

import type { Deps } from '../app/context.ts'
import type { Query } from '../platform/postgres/query.ts'
import { type AuditHead, deploymentChain, entryText, headText, noHash } from './audit.rules.ts'
import { type AuditKey, auditKeys, isSigned } from './log.ts'
import * as store from './store.ts'

export type AuditFinding = {
  customerId: string
  /** The entry that does not fit; for `missing`, the one that is not there. */
  number: number
  kind: 'altered' | 'missing' | 'unchained' | 'head_altered' | 'head_missing' | 'tail_missing' | 'not_as_published'
  message: string
}

export type AuditReport = { ok: boolean; chains: number; entries: number; findings: AuditFinding[] }

/** What `listPublishedHeads` told earlier, kept outside the database. */
export type PublishedHead = { customerId: string; number: number; hash: string }

const pageRows = 1_000
const pageChains = 500
const findingsMax = 100

/**
 * Crosses businesses: for the operator. Servers may go on writing.
 * @param published heads of an earlier time: only they tell a database that was set back as a whole
 * @throws Error when no deployment secret opens the keys of the chains
 */
export async function checkAudit(
  deps: Pick<Deps, 'db' | 'secrets'>,
  customerId: string | null,
  published: readonly PublishedHead[] = [],
): Promise<AuditReport> {
  const keys = await deps.db.read((query) => auditKeys(deps, query))
  const report: AuditReport = { ok: true, chains: 0, entries: 0, findings: [] }
  for await (const id of customerId === null ? everyChain(deps, published) : [customerId]) {
    const mine = published.filter((head) => head.customerId === id)
    const { entries, finding } = await checkChain(deps, keys, id, mine)
    report.chains += 1
    report.entries += entries
    if (finding && report.findings.length < findingsMax) report.findings.push(finding)
  }
  return { ...report, ok: report.findings.length === 0 }
}

async function* everyChain(deps: Pick<Deps, 'db'>, published: readonly PublishedHead[]): AsyncGenerator<string> {
  const rest = new Set([deploymentChain, ...published.map((head) => head.customerId)])
  let after = ''
  for (;;) {
    const ids = await deps.db.read((query) => store.listChains(query, after, pageChains))
    for (const id of ids) {
      rest.delete(id)
      yield id
    }
    if (ids.length < pageChains) break
    after = ids.at(-1) ?? ''
  }
  yield* rest
}

type Walk = { number: number; hash: Buffer; finding: AuditFinding | null }

async function checkChain(
  deps: Pick<Deps, 'db'>,
  keys: ReadonlyMap<number, AuditKey>,
  customerId: string,
  published: readonly PublishedHead[],
): Promise<{ entries: number; finding: AuditFinding | null }> {
  const walk: Walk = { number: 0, hash: noHash, finding: null }
  let entries = 0
  for (;;) {
    // In one statement's view of the database with the entries behind the head: what is written meanwhile is another page.
    const [rows, head] = await deps.db.transaction(async (tx) => {
      await tx`set transaction isolation level repeatable read read only`
      return [await page(tx, customerId, walk.number), await store.findHead(tx, customerId)] as const
    })
    for (const row of rows) {
      entries += 1
      const finding = checkEntry(keys, customerId, walk, row, published)
      if (finding) return { entries, finding }
    }
    if (rows.length < pageRows) return { entries, finding: checkHead(keys, customerId, walk, head, published) }
  }
}

async function page(query: Query, customerId: string, after: number): Promise<store.AuditRow[]> {
  return await store.listEntriesAfter(query, customerId, after, pageRows)
}

function checkEntry(
  keys: ReadonlyMap<number, AuditKey>,
  customerId: string,
  walk: Walk,
  row: store.AuditRow,
  published: readonly PublishedHead[],
): AuditFinding | null {
  const found = (number: number, kind: AuditFinding['kind'], message: string) => ({ customerId, number, kind, message })
  const expected = walk.number + 1
  if (row.number !== expected)
    return found(expected, 'missing', `Entry ${expected} is missing: ${row.number} follows ${walk.number}.`)
  if (row.hash === null || row.keyId === null)
    return found(
      row.number,
      'unchained',
      `Entry ${row.number} was not written by Causeway: it is no part of the chain.`,
    )
  if (!isSigned(keys.get(row.keyId), entryText(row, row.keyId, walk.hash), row.hash))
    return found(row.number, 'altered', `Entry ${row.number} is not what was written there, or not at its place.`)
  const other = published.find((head) => head.number === row.number && head.hash !== row.hash?.toString('hex'))
  if (other) return found(row.number, 'not_as_published', `Entry ${row.number} is not the one that was published.`)
  walk.number = row.number
  walk.hash = row.hash
  return null
}

function checkHead(
  keys: ReadonlyMap<number, AuditKey>,
  customerId: string,
  walk: Walk,
  head: store.SignedHead | undefined,
  published: readonly PublishedHead[],
): AuditFinding | null {
  const found = (number: number, kind: AuditFinding['kind'], message: string) => ({ customerId, number, kind, message })
  const { number } = walk
  if (!head) return found(number, 'head_missing', `The head of the chain is gone: entries after ${number} may be, too.`)
  if (!isSigned(keys.get(head.keyId), headText(head), head.signature))
    return found(number, 'head_altered', `The head of the chain was altered: entries after ${number} may be missing.`)
  if (head.number > number)
    return found(number + 1, 'tail_missing', `Entries ${number + 1} to ${head.number} are missing at the end.`)
  if (head.number < number || !head.hash.equals(walk.hash))
    return found(number, 'head_altered', `The head of the chain is an earlier one: it ends at ${head.number}.`)
  const beyond = published.find((known) => known.number > number)
  if (beyond)
    return found(
      number + 1,
      'not_as_published',
      `Entries ${number + 1} to ${beyond.number} were published and are gone.`,
    )
  return null
}

/** Crosses businesses. To be kept where whoever writes to the database does not get: see docs/security.md. */
export async function listPublishedHeads(deps: Pick<Deps, 'db'>): Promise<PublishedHead[]> {
  const heads: AuditHead[] = []
  for (;;) {
    const rows = await deps.db.read((query) => store.listHeads(query, heads.at(-1)?.businessId ?? '', pageRows))
    heads.push(...rows)
    if (rows.length < pageRows) break
  }
  return heads
    .filter(({ number }) => number > 0)
    .map(({ businessId, number, hash }) => ({ customerId: businessId, number, hash: hash.toString('hex') }))
}
