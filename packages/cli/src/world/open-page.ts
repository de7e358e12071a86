// `causeway open`: a page of a deployment in the browser. The console of the local environment opens signed in, by a one-time link.

import { Transport } from '../../../sdk/src/core/request.ts'
import { ApiError, Causeway } from '../../../sdk/src/index.ts'
import { isJsonObject } from '../../../server/src/platform/values/json.ts'
import { type CommandBody, type Context, UsageError } from '../command.ts'
import { findServer } from '../deployment.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { safeJson, safeText } from '../output/safe-text.ts'
import { openBrowser } from '../profile/open-browser.ts'
import { requireKey, resolveTarget } from '../profile/resolve.ts'

/** `expiresInMinutes` is null for a page without a sign-in link. */
type Opened = { url: string; expiresInMinutes: number | null }

const pages: Readonly<Record<string, (context: Context) => Promise<Opened>>> = {
  console: (context) => consolePage(context, 'business', ''),
  operator: (context) => consolePage(context, 'operator', '/operator'),
  sandbox: (context) => consolePage(context, 'business', '/sandbox'),
  docs: (context) => publicPage(context, '/docs/'),
  api: (context) => publicPage(context, '/docs/reference/api/'),
  onboarding: onboardingPage,
}

export const openPage: CommandBody = async (context) => {
  const { env, terminal, flags } = context
  const [name = 'console', externalUserId] = context.args
  const find = Object.hasOwn(pages, name) ? pages[name] : undefined
  if (!find) throw new UsageError(`open takes one of ${Object.keys(pages).join(', ')}`)
  if (externalUserId !== undefined && name !== 'onboarding') throw new UsageError(`open ${name} takes no end-user`)
  const { url, expiresInMinutes } = await find(context)
  if (flags['json'] || !terminal.isInteractive) terminal.print(safeJson({ url, expiresInMinutes }))
  else {
    terminal.print(safeText(url))
    if (expiresInMinutes !== null) terminal.print(`The link signs you in once, within ${expiresInMinutes} minutes.`)
    openBrowser(env, url)
  }
  return exitCodes.done
}

async function publicPage(context: Context, path: string): Promise<Opened> {
  const { baseUrl } = await resolveTarget(context)
  return { url: urlOf(baseUrl, path), expiresInMinutes: null }
}

async function consolePage(context: Context, role: 'business' | 'operator', path: string): Promise<Opened> {
  const { env, flags } = context
  const isNamed = flags['baseUrl'] !== undefined || flags['profile'] !== undefined
  const server = isNamed ? null : await findServer(env)
  const link = server === null ? null : await localLink(server, role)
  if (server === null || link === null) return await publicPage(context, `/console${path}`)
  const next = path === '' ? '' : `?${new URLSearchParams({ next: path })}`
  return { ...link, url: urlOf(server.baseUrl, `/console/link${next}#${link.code}`) }
}

/** @returns null if the server is not a local environment: there, users sign in with a key */
async function localLink({ baseUrl, adminSecret }: { baseUrl: string; adminSecret: string }, role: string) {
  const request = { method: 'POST', path: '/console/local-links', keyed: false, params: {}, query: {}, body: { role } }
  const { data } = await new Transport({ baseUrl, apiKey: adminSecret }).send(request, {}).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'route_not_found') return { data: null }
    throw error
  })
  return isJsonObject(data) ? { code: String(data['code']), expiresInMinutes: Number(data['expiresInMinutes']) } : null
}

/** Creates an onboarding link, because the page opens only with a link. */
async function onboardingPage(context: Context): Promise<Opened> {
  const [, externalUserId] = context.args
  if (externalUserId === undefined)
    throw new UsageError('open onboarding needs an end-user. Next: causeway open onboarding <externalUserId>')
  const target = await resolveTarget(context)
  const api = new Causeway({ baseUrl: target.baseUrl, apiKey: requireKey(target) })
  const { url } = await api.call('createOnboardingLink', { path: { externalUserId }, body: {} })
  return { url, expiresInMinutes: null }
}

const urlOf = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/$/, '')}${path}`
