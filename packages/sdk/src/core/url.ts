// The URL of a request: the deployment's `baseUrl`, a path with its parameters, and a query.

/** A trailing `/v0` is removed, because every path begins with it. @throws TypeError for anything that is not a URL */
export function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl must be an absolute http or https URL, such as https://causeway.example.com.')
  return url.href.replace(/\/+$/, '').replace(/\/v0$/, '')
}

/** @throws TypeError for an empty or dotted segment, which would change the path */
export function filledPath(path: string, params: Readonly<Record<string, string>> | undefined): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params?.[name]
    if (typeof value !== 'string' || ['', '.', '..'].includes(value))
      throw new TypeError(`${name} must be a string that is neither empty nor "." nor "..".`)
    return encodeURIComponent(value)
  })
}

/**
 * Writes a query. Undefined members are not sent, arrays become several values, and plain objects become `name[key]=value`.
 * @throws TypeError for any other object: without the filter, everything would be returned
 */
export function queryText(query: object | undefined): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue
    if (Array.isArray(value)) for (const item of value) pairs.append(name, valueText(name, item))
    else if (isPlainObject(value))
      for (const [key, item] of Object.entries(value)) pairs.append(`${name}[${key}]`, valueText(name, item))
    else pairs.append(name, valueText(name, value))
  }
  const text = pairs.toString()
  return text === '' ? '' : `?${text}`
}

function valueText(name: string, value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value)
  throw new TypeError(`${name} must be a string, a number, a boolean or a valid Date.`)
}

/** Does not compare `constructor`, which differs for an object of another realm, for example of a test runner. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
