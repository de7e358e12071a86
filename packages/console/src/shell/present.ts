// Members that are undefined do not stand in an address.

export function present<Search extends Record<string, unknown>>(
  search: Search,
): { [Name in keyof Search]?: Exclude<Search[Name], undefined> } {
  const kept: { [Name in keyof Search]?: Exclude<Search[Name], undefined> } = {}
  for (const [name, value] of Object.entries(search)) if (value !== undefined) Object.assign(kept, { [name]: value })
  return kept
}
