// `npm run list-plans`: what every list reads of a database with millions of rows. Prints a table and ends with one line of
// JSON; exit code 1 when a list reads a whole table, more rows than it may, or takes too long.

import { stopRequested } from '../../../server/src/process/signals.ts'
import { readOptions, wholeNumber } from '../rig/options.ts'
import { openDatabaseServer } from './database-server.ts'
import { isOfPart, listCases, type Part, parts } from './list-cases.ts'
import { judge, measureList } from './measure-list.ts'
import { openApi } from './open-api.ts'
import { conclusionOf, listHead, listLine, operationHead, operationLines } from './report.ts'
import { seedRows } from './seed.ts'

const { rows, part } = readOptions(
  'list-plans',
  'Reads every list of a database with many rows, and shows what PostgreSQL did. A million rows take 9 GB of disk and four minutes.',
  {
    rows: wholeNumber('rows of each table', 10_000_000, 1_000),
    part: {
      placeholder: parts.join('|'),
      help: 'only these tables and their lists, where the disk does not hold all',
      byDefault: null as Part | null,
      read(text) {
        const found = parts.find((name) => name === text)
        if (!found) throw new RangeError(`--part takes ${parts.join(' or ')}`)
        return found
      },
    },
  },
)

async function run(stack: AsyncDisposableStack): Promise<void> {
  const server = stack.use(await openDatabaseServer())
  const say = (line: string) => console.log(line)
  const api = stack.use(await openApi(server.connection))
  await seedRows(api.db, api.businesses, { rows, part }, say)
  const measured = []
  say(listHead)
  for (const list of listCases(api.businesses, rows).filter((each) => part === null || isOfPart(each, part))) {
    const figures = await measureList(api, list, () => server.plans())
    measured.push(figures)
    say(listLine(figures))
  }
  say(['', operationHead, ...operationLines(measured), ''].join('\n'))
  say(`${conclusionOf(measured)}\n`)
  const faults = measured.flatMap((figures) => judge(figures, rows))
  for (const fault of faults) console.error(`list-plans: ${fault}`)
  console.log(
    JSON.stringify({
      rows,
      operations: new Set(measured.map(({ operation }) => operation)).size,
      lists: measured.length,
      faults: faults.length,
      slowestMs: Math.max(...measured.flatMap(({ pages }) => pages.map(({ ms }) => ms))),
    }),
  )
  if (faults.length > 0) process.exitCode = 1
}

const stack = new AsyncDisposableStack()
try {
  const told = stopRequested().then((signal) => Promise.reject(new Error(`told to stop by ${signal}`)))
  await Promise.race([run(stack), told])
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stack.disposeAsync()
}
process.exit()
