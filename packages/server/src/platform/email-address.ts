// Email addresses, and the address of a mail server.

const charsMax = 254

/** An address of ASCII characters without quotes, comments or a name: nothing in it can end a header or a command. */
export const emailPattern =
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$"

const emailRule = new RegExp(emailPattern)

export function isEmailAddress(text: string): boolean {
  return text.length <= charsMax && emailRule.test(text)
}

export type SmtpAddress = { host: string; port: number; isTls: boolean; user: string | null; password: string | null }

/** Reads `smtp://user:password@host:587` or `smtps://…:465`. @returns null if the text is no such address */
export function readSmtpAddress(text: string): SmtpAddress | null {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') return null
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') return null
  const isTls = url.protocol === 'smtps:'
  try {
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
      isTls,
      user: url.username === '' ? null : decodeURIComponent(url.username),
      password: url.password === '' ? null : decodeURIComponent(url.password),
    }
  } catch {
    return null // a broken percent sign
  }
}
