// Readers of URL parameters. Unreadable values become the default.

type Given = Readonly<Record<string, unknown>>

/** A text; a number that the address was read as is a text as well. */
export function textIn(search: Given, name: string): string | undefined {
  const value = search[name]
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' && text.length <= 512 ? text.trim() : undefined
}

export function choiceIn<Choice extends string>(
  search: Given,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === search[name])
}

/** A day such as 2026-01-31. */
export function dayIn(search: Given, name: string): string | undefined {
  const text = textIn(search, name)
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  return Number.isNaN(Date.parse(`${text}T00:00:00Z`)) ? undefined : text
}

type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** Drops undefined members, as the address and the API do. */
export function present<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>
}

/** For `navigate`: changes the current address, which another filter may have changed in the meantime, and starts at the first page. */
export const narrowedBy =
  <Change extends object>(change: Change) =>
  <Before extends object>(before: Before) =>
    present({ ...before, cursor: undefined, ...change })
