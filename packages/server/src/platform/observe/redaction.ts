// Masks secrets on the serialized line of a log. Credentials of Causeway, the provider and databases are found by their
// form. The deployment's own secrets have no form and are found by their text.

/** Each pattern keeps its first group. Repeats are bounded: a line may be long and contain a caller's text. */
const patterns: readonly RegExp[] = [
  /(svc_(?:test|live|(?:onboarding_)?(?:link|session))_|whsec_|sk-(?:test|live)-)[A-Za-z0-9+/=_-]{4,}/g,
  /(?<![A-Za-z])(sk-)[A-Za-z0-9_-]{8,}/g,
  /(?<![A-Za-z])(Bearer(?:[ \t]|%20){1,8})[A-Za-z0-9._~+/=-]{4,}/gi,
  /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/"\\]{0,200}:)[^\s@"\\]{1,400}(?=@)/gi,
]

/** A shorter text would occur in many log lines by chance. */
const lengthMin = 8

const hidden = new Set<string>()

/** Every pattern contains one of these texts. Most lines contain none, so one test is enough. */
const startsOfPatterns = ['svc_', 'whsec_', 'sk-', 'Bearer', '://']
let suspicious = suspicionOf([])

function suspicionOf(texts: readonly string[]): RegExp {
  return new RegExp(
    [...startsOfPatterns, ...texts].map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'),
    'i',
  )
}

/** Masks these texts from now on, in any position, also percent-encoded. For the composition root. */
export function hideFromLogs(secrets: readonly string[]): void {
  for (const secret of secrets.filter(({ length }) => length >= lengthMin)) {
    hidden.add(JSON.stringify(secret).slice(1, -1))
    hidden.add(encodeURIComponent(secret))
    hidden.add(encodeURI(secret))
  }
  suspicious = suspicionOf([...hidden])
}

/** Masks the secrets of one line. */
export function redact(line: string): string {
  if (!suspicious.test(line)) return line
  let safe = line
  for (const secret of hidden) safe = safe.replaceAll(secret, '…')
  for (const pattern of patterns) safe = safe.replace(pattern, '$1…')
  return safe
}
