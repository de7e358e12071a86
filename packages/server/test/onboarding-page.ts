// The onboarding page as its browser asks the server, without the browser.

import assert from 'node:assert/strict'
import { idImage } from '../../cli/src/demo/image.ts'
import type { Business } from './business.ts'
import { type Answer, type CallOptions, dataOf, request } from './caller.ts'
import { kycBody, userPath } from './people.ts'
import type { World } from './world.ts'

export type Page = {
  token: string
  ask(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: what the page is shown is read by tests, which assert what they find
  state(query?: string): Promise<any>
}

export const codeOf = ({ url }: { url: string }): string => url.split('#')[1] ?? ''

/** Asks for the page of a code, whatever comes of it. */
export const askForPage = (world: World, code: unknown): Promise<Answer> =>
  request('POST', `${world.url}/onboard/api/page`, { code })

/** Opens the page of a link. Fails where the link does not open. */
export async function openPage(world: World, link: { url: string }): Promise<Page> {
  const opened = await askForPage(world, codeOf(link))
  assert.equal(opened.status, 200, opened.text)
  return pageOf(world, opened.body.data.token)
}

/** Makes an end-user and a link, and opens its page. */
export async function newPage(
  world: World,
  { type, business = world.business }: { type?: 'business'; business?: Business } = {},
): Promise<{ user: string; page: Page; linkId: string }> {
  const user = await business.user()
  if (type) dataOf(await business.call('PATCH', userPath(user), { type }))
  const link = dataOf(await business.call('POST', userPath(user, '/onboarding-links'), {}))
  return { user, page: await openPage(world, link), linkId: link.id }
}

/** @param baseUrl of another server of the same world */
export function pageOf({ facts }: Pick<World, 'facts'>, token: string, baseUrl = facts.baseUrl): Page {
  const ask: Page['ask'] = (method, path, body, options = {}) =>
    request(method, `${baseUrl}/onboard/api${path}`, body, {
      ...options,
      headers: { authorization: `Bearer ${token}`, ...options.headers },
    })
  return {
    token,
    ask,
    async state(query = '') {
      const answer = await ask('GET', `/state${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    },
  }
}

export const png = Buffer.from(idImage().split(',')[1] ?? '', 'base64')

/** Makes a picture of any size; the fill byte makes it differ from others. */
export function imageOf(bytes: number, fill = 0): string {
  const content = Buffer.alloc(bytes, fill)
  content.set(png)
  return `data:image/png;base64,${content.toString('base64')}`
}

/** Makes a complete submission with two pictures of this size. */
export function largeBody(agreement: string | null, mail: string, imageBytes: number): Record<string, unknown> {
  const body = kycBody(agreement, mail)
  const [taxId, license] = body['identifying_information'] as Record<string, unknown>[]
  const images = { image_front: imageOf(imageBytes, 1), image_back: imageOf(imageBytes, 2) }
  return { ...body, identifying_information: [taxId, { ...license, ...images }] }
}
