// URL parameters of the logs. Unreadable values become the default.

type Search = Record<string, unknown>

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 256 ? value : undefined

/** Numbers in an address are read as numbers: an id of digits is a text all the same. */
const wordOf = (value: unknown): string | undefined => textOf(typeof value === 'number' ? String(value) : value)

const timeOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined
}

/** Leaves out what is not set, so that the address stays short. */
function compact<T extends Record<string, string | undefined>>(values: T): { [K in keyof T]?: string } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: string }
}

const statuses = /^[1-5](\d\d|xx)$/
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Presets of the list, one button each. */
export const requestViews = ['errors', 'writes'] as const

export function requestSearch({ cursor, view, console, error, status, method, path, id, by, from, to }: Search) {
  const [state, verb] = [wordOf(status), textOf(method)]
  return compact({
    cursor: textOf(cursor),
    view: requestViews.find((known) => known === view),
    console: console === 'shown' ? console : undefined,
    error: textOf(error),
    status: state !== undefined && statuses.test(state) ? state : undefined,
    method: methods.find((known) => known === verb),
    path: textOf(path),
    id: wordOf(id),
    by: textOf(by),
    from: timeOf(from),
    to: timeOf(to),
  })
}

export function auditSearch({ cursor, action, actor, from, to }: Search) {
  return compact({
    cursor: textOf(cursor),
    action: textOf(action),
    actor: textOf(actor),
    from: timeOf(from),
    to: timeOf(to),
  })
}

export type RequestSearch = ReturnType<typeof requestSearch>
export type AuditSearch = ReturnType<typeof auditSearch>

/** Changes what the address says, at once or from what it says by then. */
export type SetSearch<S> = (next: S | ((before: S) => S), options?: { resetScroll: boolean }) => void
