// The form of the branding as it is filled in, what is sent of it, and which of its fields were refused.

import { ApiError, type Body, type Branding } from '@causeway/sdk'

/** `name` is empty where it is that of the business; `sites` are lines. */
export type Settings = {
  name: string
  logo: string | null
  colors: Branding['colors']
  supportEmail: string
  privacyUrl: string
  sites: string
}

export function settingsOf(branding: Branding, businessName: string): Settings {
  const { name, logo, colors, supportEmail, privacyUrl, embedOrigins } = branding
  return {
    name: name === businessName ? '' : name,
    logo,
    colors,
    supportEmail: supportEmail ?? '',
    privacyUrl: privacyUrl ?? '',
    sites: embedOrigins.join('\n'),
  }
}

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || [])
const orNull = (text: string): string | null => text.trim() || null

/** Without a name the page shows that of the business, as it will be then. */
export const bodyOf = ({ name, logo, colors, supportEmail, privacyUrl, sites }: Settings): Body<'setBranding'> => ({
  name: orNull(name),
  logo,
  colors,
  supportEmail: orNull(supportEmail),
  privacyUrl: orNull(privacyUrl),
  embedOrigins: linesOf(sites),
})

/** The server's error for each field. */
export function faultsOf(error: unknown, { sites }: Settings): (param: string) => string | undefined {
  const details = error instanceof ApiError ? error.details : []
  return (param) =>
    details
      .flatMap((detail) => {
        if (detail.param !== param && !detail.param?.startsWith(`${param}.`)) return []
        const words = detail.message.startsWith(`${detail.param} `)
          ? detail.message.slice(`${detail.param} `.length)
          : detail.message
        const line = linesOf(sites)[Number(detail.param.slice(param.length + 1))]
        return param === 'embedOrigins' && line !== undefined ? `“${line}” ${words}` : capital(words)
      })
      .join(' ') || undefined
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
