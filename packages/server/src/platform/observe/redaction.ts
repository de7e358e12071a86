// Masks what must not be read in a log, on the serialised line: whatever looks like a credential of ours, of the provider or
// of a database, and the deployment's own secrets by their very text, which have no look of their own.

/** Each keeps its first group. Bounded repeats: a line may be long, and come from outside. */
const patterns: readonly RegExp[] = [
  /(svc_(?:test|live)_|whsec_|sk-(?:test|live)-)[A-Za-z0-9+/=_-]{4,}/g,
  /(?<![A-Za-z])(sk-)[A-Za-z0-9_-]{8,}/g,
  /(?<![A-Za-z])(Bearer(?:[ \t]|%20){1,8})[A-Za-z0-9._~+/=-]{4,}/gi,
  /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/"\\]{0,200}:)[^\s@"\\]{1,400}(?=@)/gi,
]

/** A shorter text would be found in half of what is logged. */
const lengthMin = 8

const hidden = new Set<string>()

/** What every pattern, or a hidden text, has in it. Most lines have none of it, and one look tells. */
const startsOfPatterns = ['svc_', 'whsec_', 'sk-', 'Bearer', '://']
let suspicious = suspicionOf([])

function suspicionOf(texts: readonly string[]): RegExp {
  return new RegExp(
    [...startsOfPatterns, ...texts].map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'i',
  )
}

/** From now on these texts are masked wherever they stand, also percent-encoded. For the composition root. */
export function hideFromLogs(secrets: readonly string[]): void {
  for (const secret of secrets.filter(({ length }) => length >= lengthMin)) {
    hidden.add(JSON.stringify(secret).slice(1, -1))
    hidden.add(encodeURIComponent(secret))
    hidden.add(encodeURI(secret))
  }
  suspicious = suspicionOf([...hidden])
}

export function redact(line: string): string {
  if (!suspicious.test(line)) return line
  let safe = line
  for (const secret of hidden) safe = safe.replaceAll(secret, '…')
  for (const pattern of patterns) safe = safe.replace(pattern, '$1…')
  return safe
}
