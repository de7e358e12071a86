// Rules about who imports whom: packages, subjects and the roles of their files, cycles, and files that nobody reaches.

import type { Finding, Rule } from './finding.ts'
import {
  entryPoints,
  filesMax,
  fixtureHomes,
  isSource,
  isUnder,
  leadsToMax,
  type PackageName,
  packageArrows,
  packageHomes,
  pagePrograms,
  platform,
  proofPackageHomes,
  roles,
  sandboxRooms,
  server,
  wiring,
} from './layout.ts'
import type { Reference, SourceModule, SourceTree } from './source-tree.ts'

type Edge = { from: SourceModule; reference: Reference; target: string }

function* edges(tree: SourceTree, isIncluded = isSource): Iterable<Edge> {
  for (const from of tree.values()) {
    if (!isIncluded(from.path)) continue
    for (const reference of from.references) {
      if (reference.isImport && reference.target !== null) yield { from, reference, target: reference.target }
    }
  }
}

const packageOf = (path: string): PackageName | undefined => {
  if (fixtureHomes.some((home) => isUnder(path, home))) return 'fixtures'
  const name = /^packages\/([\w-]+)\//.exec(path)?.[1]
  return name !== undefined && name in packageArrows ? (name as PackageName) : undefined
}

export const packageArrowRule: Rule = {
  holds: 'packages import each other by the arrows of the layout table; server and emulator never meet',
  find: (tree) =>
    [...edges(tree)].flatMap(({ from, reference, target }) => {
      const [importer, imported] = [packageOf(from.path), packageOf(target)]
      if (importer === imported && importer !== undefined) return []
      const arrows: readonly string[] = importer === undefined ? [] : packageArrows[importer]
      if (imported !== undefined && arrows.includes(imported)) return []
      return {
        path: from.path,
        line: reference.line,
        problem: `${importer ?? 'no package'} imports ${imported ?? 'no package'}: ${target}`,
        remedy: `${importer ?? 'A file outside of the packages'} may import: ${arrows.join(', ') || 'nothing'}. Take what is needed as a parameter.`,
      }
    }),
}

const rig = 'packages/proof/src/rig/'
const faults = 'packages/proof/src/faults/'
/** The embedded PostgreSQL is a database that the rig can start, and no part of a version. */
const product = /^packages\/(?!proof\/|embedded-postgres\/)[\w-]+\/src\//

/** Imports forbidden to programs that must run against any version. */
function forbiddenTo(tree: SourceTree, from: string, target: string): string | null {
  if (isUnder(from, faults) && !isUnder(target, rig) && !isUnder(target, faults))
    return `a proof of faults imports more than the rig: ${target}`
  if (!isUnder(from, rig) || isUnder(target, rig)) return null
  const found = [...reach(tree, [target])].find((path) => product.test(path))
  return found === undefined ? null : `the rig imports ${target}, which is or leads to product code: ${found}`
}

export const rigRule: Rule = {
  holds: 'the rig leads to no product code, types included, and proofs of faults import only the rig',
  find: (tree) =>
    [...edges(tree)].flatMap(({ from, reference, target }) => {
      const problem = forbiddenTo(tree, from.path, target)
      const remedy = 'Set up by HTTP and the command line, so that any version can be proven.'
      return problem === null ? [] : [{ path: from.path, line: reference.line, problem, remedy }]
    }),
}

type Place = { path: string; role: (typeof roles)[number][0]; height: number; subject: string }

/** The place of a server file; null for the rest of the project. */
function placeOf(path: string): Place | null {
  if (!path.startsWith(server)) return null
  const below = path.slice(server.length)
  const role = roles.find(([, pattern]) => pattern.test(below))
  if (!role) return null
  const subject = below.slice(0, below.indexOf('/') + 1)
  return { path: below, role: role[0], height: role[2], subject: subject === '' ? below : subject }
}

type ServerEdge = { edge: Edge; from: Place; to: Place }

function* serverEdges(tree: SourceTree): Iterable<ServerEdge> {
  for (const edge of edges(tree)) {
    const [from, to] = [placeOf(edge.from.path), placeOf(edge.target)]
    if (from && to) yield { edge, from, to }
  }
}

const floorOfWiring = (place: Place): number => wiring.findIndex((prefix) => isUnder(place.path, prefix))
const isWiring = (place: Place): boolean => floorOfWiring(place) >= 0

/** The words of the port belong to no layer: what is stored is named in them, too. */
const isPort = ({ path }: Place): boolean => path === 'provider/port.ts'

/** The table of what a provider offers is data: `RAILS` adds to it while the settings are read. */
const isOffer = ({ path }: Place): boolean => /^provider\/[\w-]+\/offer\.ts$/.test(path)

/** A rule about one import of the server: what is wrong with it, or null. */
function serverEdgeRule(holds: string, remedy: string, look: (edge: ServerEdge) => string | null): Rule {
  return {
    holds,
    find: (tree) =>
      [...serverEdges(tree)].flatMap((serverEdge) => {
        const problem = look(serverEdge)
        const { path } = serverEdge.edge.from
        return problem === null ? [] : [{ path, line: serverEdge.edge.reference.line, problem, remedy }]
      }),
  }
}

export const roleRule = serverEdgeRule(
  'inside a subject imports go from routes to service to store to rules, never back',
  'Take what is needed as a parameter, or move it to the file below.',
  ({ from, to }) =>
    from.subject === to.subject &&
    !isWiring(from) &&
    from.subject !== platform &&
    from.height < to.height &&
    !isPort(to)
      ? `${from.role} imports ${to.role}: ${to.path}`
      : null,
)

export const subjectRule = serverEdgeRule(
  'another subject is reached by its service files, and nobody but main.ts and process/ imports the wiring, types included',
  'Call a function of its service; what points both ways is registered in app/.',
  ({ from, to }) => {
    if (isWiring(from) && isWiring(to))
      return floorOfWiring(from) > floorOfWiring(to) ? `imports the wiring above: ${to.path}` : null
    if (from.subject === to.subject || isWiring(from) || to.subject === platform) return null
    if (isWiring(to)) return `imports the wiring: ${to.path}`
    if (from.subject === platform)
      return isOffer(to) && from.path === 'platform/config.ts' ? null : `platform imports a subject: ${to.path}`
    return to.role === 'store' || to.role === 'routes' ? `imports the ${to.role} of another subject: ${to.path}` : null
  },
)

export const subjectCycleRule: Rule = {
  holds: 'subjects form no cycle',
  find(tree) {
    const next = new Map<string, Map<string, Edge>>()
    for (const { edge, from, to } of serverEdges(tree)) {
      if (from.subject === to.subject || to.subject === platform || isWiring(from) || isWiring(to)) continue
      const targets = next.get(from.subject) ?? new Map<string, Edge>()
      if (!targets.has(to.subject)) targets.set(to.subject, edge)
      next.set(from.subject, targets)
    }
    const leadsTo = (start: string, goal: string): boolean => {
      const [open, seen] = [[start], new Set<string>()]
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (at === goal) return true
        if (!seen.has(at)) open.push(...(next.get(at)?.keys() ?? []))
        seen.add(at)
      }
      return false
    }
    return [...next].flatMap(([subject, targets]) =>
      [...targets].flatMap(([target, { from, reference }]) =>
        leadsTo(target, subject)
          ? {
              path: from.path,
              line: reference.line,
              problem: `${subject} imports ${target}, which leads back to it`,
              remedy: 'Turn one direction round: a handler that app/ registers.',
            }
          : [],
      ),
    )
  },
}

export const folderRule: Rule = {
  holds: `a folder holds at most ${filesMax} source files`,
  find(tree) {
    const folders = Map.groupBy([...tree.keys()].filter(isSource), (path) => path.slice(0, path.lastIndexOf('/')))
    return [...folders]
      .filter(([, files]) => files.length > filesMax)
      .map(([path, files]) => ({
        path,
        line: 1,
        problem: `holds ${files.length} source files`,
        remedy: 'Join what is one thing, or give a part of it a folder.',
      }))
  },
}

export const packageRule: Rule = {
  holds: 'a runtime dependency is imported only where the table says it lives',
  find(tree) {
    const findings: Finding[] = []
    for (const module of tree.values()) {
      if (!isSource(module.path)) continue
      for (const { specifier, line, isImport } of module.references) {
        if (!isImport || specifier.startsWith('.') || specifier.startsWith('node:')) continue
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/')
        const homes = [...(packageHomes[name] ?? []), ...(proofPackageHomes[name] ?? [])]
        if (homes.some((home) => isUnder(module.path, home))) continue
        const remedy = homes.length
          ? `It lives in ${homes.join(', ')}: call what stands there.`
          : 'Do without it, or add it to test/tidy/layout.ts and to the table in docs/decisions/dependencies.md.'
        findings.push({ path: module.path, line, problem: `imports the package ${name}`, remedy })
      }
    }
    return findings
  },
}

const sandboxSource = 'packages/sandbox/src/'

/** Returns true if both files are in rooms of one provider, the imported one not above the other. */
const isDownTheRooms = (importer: string, imported: string): boolean =>
  Object.values(sandboxRooms).some((rooms) => {
    const height = (path: string): number =>
      rooms.findLastIndex((room) => isUnder(path.slice(sandboxSource.length), room))
    return height(imported) >= 0 && height(imported) <= height(importer)
  })

const branchOf = (path: string): string | undefined =>
  Object.keys(sandboxRooms).find((branch) => path.startsWith(`${sandboxSource}${branch}/`))

export const sandboxRoomRule: Rule = {
  holds: 'the rooms of the emulator import each other in the order of the layout table, and no branch meets another',
  find: (tree) =>
    [...edges(tree)].flatMap(({ from, reference, target }) => {
      if (!from.path.startsWith(sandboxSource) || !target.startsWith(sandboxSource)) return []
      const branch = branchOf(target)
      const isRowType = reference.isTypeOnly && target.endsWith('/rows.ts')
      if (isRowType && branch !== undefined && branch === branchOf(from.path)) return []
      if (isDownTheRooms(from.path, target)) return []
      const remedy = 'Move what is needed into a room below, or take it as a parameter.'
      const problem = `imports a room above, or of another provider: ${target}`
      return { path: from.path, line: reference.line, problem, remedy }
    }),
}

export const cycleRule: Rule = {
  holds: 'no module imports itself, by whatever way round: sources, tests and scripts, types included',
  find(tree) {
    const next = new Map<string, Edge[]>()
    for (const edge of edges(tree, () => true)) {
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

export const leadsToRule: Rule = {
  holds: 'a file of the layout table leads to no more files than its ceiling, types included',
  find: (tree) =>
    Object.entries(leadsToMax).flatMap(([path, max]) => {
      const others = reach(tree, [path]).size - 1
      if (others >= 0 && others <= max) return []
      const problem = others < 0 ? 'is no file' : `leads to ${others} files, more than ${max}`
      const remedy = 'Take a smaller port, or move a type that many need into a smaller file.'
      return { path, line: 1, problem, remedy }
    }),
}

export const deadFileRule: Rule = {
  holds: 'every file is reachable: source from an entry point, the rest from a test',
  find(tree) {
    const fromEntries = reach(tree, entryPoints)
    const tests = [...tree.keys()].filter((path) => path.endsWith('.test.ts') || path.startsWith(pagePrograms))
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
