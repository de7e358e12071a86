// Rules for a migration without `.breaking` in its name: it must not break or block the previous version, which runs at
// the same time during an upgrade.

type Rule = readonly [pattern: RegExp, says: string]

const rules: readonly Rule[] = [
  [/^drop\s|^alter\s[^;]*\sdrop\s(?!constraint)/i, 'drops something that the version before may use'],
  [/^alter\s[^;]*\srename\s/i, 'renames something that the version before may use'],
  [
    /^alter\stable\s[^;]*\salter\s(column\s)?\S+\s(set\sdata\s)?type\s/i,
    'changes a type: the table is rewritten and locked',
  ],
  [/^alter\stable\s[^;]*\sset\snot\snull/i, 'sets not null, where the version before may write null'],
  [/^truncate\s/i, 'empties a table'],
]

/** @returns a sentence for each fault of this migration */
export function breaksOf(name: string, sql: string): string[] {
  const statements = statementsOf(sql)
  if (name.endsWith('.concurrently.sql'))
    return statements
      .filter((statement) => !/^create\s(unique\s)?index\sconcurrently\sif\snot\sexists\s/i.test(statement))
      .map((statement) => `${name}: builds no index concurrently: ${statement.slice(0, 100)}`)
  const made = new Set(statements.map(madeTable).filter((table) => table !== null))
  return statements.flatMap((statement) => {
    const says = faultOf(statement, made)
    return says === null ? [] : [`${name}: ${says}: ${statement.slice(0, 100)}`]
  })
}

function faultOf(statement: string, made: ReadonlySet<string>): string | null {
  const broken = rules.find(([pattern]) => pattern.test(statement))
  if (broken) return broken[1]
  const changed = /^alter\stable\s(?:if\sexists\s)?(?:only\s)?([\w.]+)/i.exec(statement)?.[1]
  if (changed !== undefined && !made.has(changed)) {
    if (/\sadd\s/i.test(statement) && /\snot\snull/i.test(statement) && !/\sdefault\s/i.test(statement))
      if (!/\sadd\sconstraint\s/i.test(statement)) return 'adds a column not null without a default'
    if (
      /\sadd\s(constraint|check|unique|foreign|primary|exclude)\b/i.test(statement) &&
      !/\snot\svalid/i.test(statement)
    )
      return 'adds a constraint that every row is checked for under a lock: add it "not valid"'
  }
  const indexed = /^create\s(?:unique\s)?index\s.*?\son\s(?:only\s)?([\w.]+)/i.exec(statement)?.[1]
  if (indexed !== undefined && !made.has(indexed))
    return 'builds an index on a table that is in use, which blocks its writers: build it in a .concurrently.sql'
  return null
}

function madeTable(statement: string): string | null {
  return /^create\s(?:unlogged\s)?table\s(?:if\snot\sexists\s)?([\w.]+)/i.exec(statement)?.[1] ?? null
}

/** Without comments and texts; white space is one blank. */
function statementsOf(sql: string): string[] {
  return (
    sql
      .replace(/--.*$/gm, ' ')
      .replace(/\/\*[\s\S]*?\*\//g, ' ')
      .replace(/'(?:[^']|'')*'/g, "''")
      // The contents of a block count like statements.
      .replace(/\bdo\s+\$(\w*)\$([\s\S]*?)\$\1\$/gi, (_, __, body: string) =>
        body.replace(/\b(begin|then|else|loop)\b/gi, ';'),
      )
      .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
      .split(';')
      .map((statement) => statement.replace(/\s+/g, ' ').trim())
      .filter((statement) => statement !== '')
  )
}
