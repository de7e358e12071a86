// Reads the source of tests for the statuses that their names claim.

import { type ESTree, parseSync, Visitor } from 'rolldown/utils'
import { statusesOfName } from './test-names.ts'

type Loops = {
  /** The loops around a test, the innermost last. */
  open: ESTree.ForOfStatement[]
  /** Constants that a loop may go through. */
  tables: Map<string, ESTree.Expression>
}

/** Lists the statuses in names of tests: `test('404 …')`, and `test(`${status} …`)` in a loop over the rows of a table. */
export function claimedStatuses(source: string): number[] {
  const { program, errors } = parseSync('tests.ts', source)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  const loops: Loops = { open: [], tables: new Map() }
  const statuses: number[] = []
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init) loops.tables.set(id.name, init)
    },
    ForOfStatement(loop) {
      loops.open.push(loop)
    },
    'ForOfStatement:exit'() {
      loops.open.pop()
    },
    CallExpression(call) {
      statuses.push(...claimsOf(call, loops))
    },
  }).visit(program)
  return statuses
}

function claimsOf({ callee, arguments: [name, options] }: ESTree.CallExpression, loops: Loops): number[] {
  if (callee.type !== 'Identifier' || callee.name !== 'test' || mayNotRun(options)) return []
  if (name?.type === 'Literal' && typeof name.value === 'string') return statusesOfName(name.value)
  if (name?.type !== 'TemplateLiteral') return []
  const [beginning] = name.quasis
  const [first] = name.expressions
  if (beginning?.value.cooked) return statusesOfName(beginning.value.cooked)
  return first?.type === 'Identifier' ? columnOf(first.name, loops) : []
}

function mayNotRun(options: ESTree.Argument | undefined): boolean {
  if (options?.type !== 'ObjectExpression') return false
  return options.properties.some(
    (property) =>
      property.type === 'Property' && property.key.type === 'Identifier' && /^(skip|todo)$/.test(property.key.name),
  )
}

/** Lists the numbers that a variable takes in `for (const [what, status] of [['absent', 404], …])`. */
function columnOf(variable: string, { open, tables }: Loops): number[] {
  for (const { left, right } of open.toReversed()) {
    const pattern = left.type === 'VariableDeclaration' ? left.declarations[0]?.id : undefined
    if (pattern?.type !== 'ArrayPattern') continue
    const column = pattern.elements.findIndex((one) => one?.type === 'Identifier' && one.name === variable)
    if (column === -1) continue
    const table = right.type === 'Identifier' ? tables.get(right.name) : right
    return elementsOf(table).flatMap((row) => {
      const value = elementsOf(row)[column]
      return value?.type === 'Literal' && typeof value.value === 'number' ? [value.value] : []
    })
  }
  return []
}

type Element = ESTree.ArrayExpression['elements'][number]

function elementsOf(list: Element | undefined): Element[] {
  if (list?.type === 'TSAsExpression') return elementsOf(list.expression)
  return list?.type === 'ArrayExpression' ? list.elements : []
}
