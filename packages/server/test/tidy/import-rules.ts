// Rules about who imports whom: floors, packages, cycles, and files that nobody reaches.

import type { Finding, Rule } from './finding.ts'
import {
  arrows,
  entryPoints,
  type Floor,
  floors,
  isSource,
  isUnder,
  packageHomes,
  proofPackageHomes,
  typePackageHomes,
} from './layout.ts'
import type { Reference, SourceModule, SourceTree } from './source-tree.ts'

const floorOf = (path: string): Floor | undefined => floors.find(([, prefix]) => isUnder(path, prefix))?.[0]

type Edge = { from: SourceModule; reference: Reference; target: string }

function* edges(tree: SourceTree): Iterable<Edge> {
  for (const from of tree.values()) {
    if (!isSource(from.path)) continue
    for (const reference of from.references) {
      if (reference.isImport && reference.target !== null) yield { from, reference, target: reference.target }
    }
  }
}

export const floorRule: Rule = {
  holds: 'imports go down only, by the arrows of the layout table; server and emulator never meet',
  find(tree) {
    const findings: Finding[] = []
    for (const { from, reference, target } of edges(tree)) {
      const [floor, below] = [floorOf(from.path), floorOf(target)]
      if (floor === below && floor !== undefined) continue
      if (floor !== undefined && below !== undefined && arrows[floor].includes(below)) continue
      findings.push({
        path: from.path,
        line: reference.line,
        problem: `${floor ?? 'a file on no floor'} imports ${below ?? 'a file on no floor'}: ${target}`,
        remedy:
          floor === undefined
            ? 'Move the file to a floor, or add the floor to test/tidy/layout.ts.'
            : `${floor} may import: ${arrows[floor].join(', ') || 'nothing'}. Move what is needed down, or take it as a parameter.`,
      })
    }
    return findings
  },
}

export const packageRule: Rule = {
  holds: 'a runtime dependency is imported only where the table says it lives',
  find(tree) {
    const findings: Finding[] = []
    for (const module of tree.values()) {
      if (!isSource(module.path)) continue
      for (const { specifier, line, isImport, isTypeOnly } of module.references) {
        if (!isImport || specifier.startsWith('.') || specifier.startsWith('node:')) continue
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/')
        const types = isTypeOnly ? typePackageHomes[name] : undefined
        const homes = [...(packageHomes[name] ?? []), ...(proofPackageHomes[name] ?? []), ...(types ?? [])]
        if (homes.some((home) => isUnder(module.path, home))) continue
        const remedy = homes.length
          ? `It lives in ${homes.join(', ')}: call what stands there.`
          : 'Do without it, or add it to test/tidy/layout.ts with a decision record in docs/adr.'
        findings.push({ path: module.path, line, problem: `imports the package ${name}`, remedy })
      }
    }
    return findings
  },
}

export const cycleRule: Rule = {
  holds: 'no module imports itself, by whatever way round',
  find(tree) {
    const next = new Map<string, Edge[]>()
    for (const edge of edges(tree)) {
      next.set(edge.from.path, [...(next.get(edge.from.path) ?? []), edge])
    }
    const done = new Set<string>()
    const findings: Finding[] = []
    const visit = (path: string, trail: readonly string[]): void => {
      for (const { reference, target } of next.get(path) ?? []) {
        const at = [...trail, path].indexOf(target)
        if (at >= 0) {
          const ring = [...trail, path].slice(at).concat(target).join(' → ')
          const remedy = 'Move what both need into a module below the two.'
          findings.push({ path, line: reference.line, problem: `closes a ring: ${ring}`, remedy })
        } else if (!done.has(target)) visit(target, [...trail, path])
      }
      done.add(path)
    }
    for (const path of next.keys()) if (!done.has(path)) visit(path, [])
    return findings
  },
}

export const deadFileRule: Rule = {
  holds: 'every file is reachable: source from an entry point, the rest from a test',
  find(tree) {
    const fromEntries = reach(tree, entryPoints)
    const tests = [...tree.keys()].filter((path) => path.endsWith('.test.ts'))
    const fromTests = reach(tree, [...entryPoints, ...tests])
    const dead = [...tree.keys()].filter((path) => !(isSource(path) ? fromEntries : fromTests).has(path))
    return dead.map((path) => ({
      path,
      line: 1,
      problem: 'is reached from nowhere',
      remedy: 'Delete it, or import it where it is needed. What only tests need belongs to test/.',
    }))
  },
}

function reach(tree: SourceTree, starts: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const open = [...starts]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const module = tree.get(path)
    if (!module || reached.has(path)) continue
    reached.add(path)
    for (const { target } of module.references) if (target !== null) open.push(target)
  }
  return reached
}
