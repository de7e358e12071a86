// The onboarding page as its browser asks the server, without the browser.

import assert from 'node:assert/strict'
import { type Answer, type CallOptions, request, type TestWorld } from './test-world.ts'

export type Page = {
  token: string
  ask(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: what the page is shown is read by tests, which assert what they find
  state(query?: string): Promise<any>
}

export const codeOf = ({ url }: { url: string }): string => url.split('#')[1] ?? ''

/** Asks for the page of a code, whatever comes of it. */
export const askForPage = (world: TestWorld, code: unknown): Promise<Answer> =>
  request('POST', `${world.facts.baseUrl}/onboard/api/page`, { code })

/** Opens the page of a link. Fails where the link does not open. */
export async function openPage(world: TestWorld, link: { url: string }): Promise<Page> {
  const opened = await askForPage(world, codeOf(link))
  assert.equal(opened.status, 200, opened.text)
  return pageOf(world, opened.body.data.token)
}

/** @param baseUrl of another server of the same world */
export function pageOf({ facts }: Pick<TestWorld, 'facts'>, token: string, baseUrl = facts.baseUrl): Page {
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
