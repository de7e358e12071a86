// Names that belong to one business: marks planted in its data, IDs of its objects, the provider's IDs of its customers, and the
// mark of identity data. Pure.

const names =
  /mark[0-9a-f]{16}|\b(?:eu|va|dep|evt|whe)_[0-9A-Za-z]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|ZqCanary/g

/** The prefix of identity data in the load's submissions. */
export const identityMark = 'ZqCanary'

/** @returns each name in the text once */
export function namesIn(text: string): string[] {
  return [...new Set(text.match(names))]
}
