// The collections for Postman and Bruno: each operation is a request of both, and requests of both are answered by a world.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { operationsOf } from '../../../scripts/code-samples/samples.ts'
import { collections } from '../../../scripts/collections.ts'
import { sharedWorld } from './shared-world.ts'
import { freshUserId } from './test-world.ts'

type Pair = { key: string; value: string }
type Bearer = { type: string; bearer?: Pair[] }
type PostmanRequest = {
  method: string
  auth?: Bearer
  header: Pair[]
  url: { host: string[]; path: string[]; variable: Pair[] }
  body?: { raw: string }
}
type Postman = { auth: Bearer; variable: Pair[]; item: { item: { name: string; request: PostmanRequest }[] }[] }
type BrunoRequest = {
  method: string
  url: string
  headers: { name: string; value: string }[]
  auth: { mode: string; bearer?: { token: string } }
  body: { mode: string; json?: string }
}
type Bruno = {
  items: { items: { name: string; request: BrunoRequest }[] }[]
  environments: { variables: { name: string; value: string }[] }[]
  root: { request: { auth: { bearer: { token: string } } } }
}

/** What a program sends, before it fills in its variables. */
type Sent = { title: string; method: string; url: string; headers: Record<string, string>; body: string | undefined }

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
const files = JSON.parse(JSON.stringify(collections(document)))

const bearerHeader = (token: string | undefined) => (token === undefined ? {} : { Authorization: `Bearer ${token}` })

function sentByPostman({ auth, item }: Postman): Sent[] {
  const requests = item.flatMap((folder) => folder.item)
  return requests.map(({ name, request: { auth: own, header, method, url, body } }) => ({
    title: name,
    method,
    url: [...url.host, ...url.path].join('/'),
    headers: {
      ...Object.fromEntries(header.map(({ key, value }) => [key, value])),
      ...bearerHeader((own ?? auth).bearer?.[0]?.value),
    },
    body: body?.raw,
  }))
}

function sentByBruno({ items, root }: Bruno): Sent[] {
  const requests = items.flatMap((folder) => folder.items)
  return requests.map(({ name, request: { auth, headers, method, url, body } }) => ({
    title: name,
    method,
    url,
    headers: {
      ...Object.fromEntries(headers.map(({ name: key, value }) => [key, value])),
      ...bearerHeader(auth.mode === 'inherit' ? root.request.auth.bearer.token : auth.bearer?.token),
    },
    body: body.json,
  }))
}

const readings = {
  Postman: () => sentByPostman(files['causeway.postman.json']),
  Bruno: () => sentByBruno(files['causeway.bruno.json']),
}

describe('collections', async () => {
  const world = await sharedWorld()
  after(() => world.stop())

  async function send(sent: Sent, variables: Readonly<Record<string, string>>): Promise<Response> {
    const filled = (text: string) =>
      text.replace(/\{\{(\$?\w+)\}\}/g, (_all, name) => variables[name] ?? assert.fail(name))
    return fetch(filled(sent.url), {
      method: sent.method,
      headers: Object.fromEntries(Object.entries(sent.headers).map(([name, value]) => [name, filled(value)])),
      ...(sent.body !== undefined && { body: sent.body }),
    })
  }

  for (const [program, read] of Object.entries(readings)) {
    test(`${program} has each operation`, () => {
      const expected = operationsOf(document).map(
        ({ method, path }) => `${method} {{baseUrl}}${path.replace(/\{(\w+)\}/g, ':$1')}`,
      )
      assert.deepEqual(
        read()
          .map(({ method, url }) => `${method} ${url}`)
          .sort(),
        expected.sort(),
      )
    })

    test(`${program} creates an end-user, asks as an operator, and lists as a business`, async () => {
      const { baseUrl, apiKey, adminSecret } = world.facts
      const variables = { baseUrl, apiKey, adminSecret, $guid: crypto.randomUUID() }
      const answerOf = (title: string, change: Partial<Sent> = {}) => {
        const sent = read().find((one) => one.title === title) ?? assert.fail(`there is no request ${title}`)
        return send({ ...sent, ...change }, variables)
      }
      const body = JSON.stringify({ externalUserId: freshUserId() })
      assert.equal((await answerOf('Create an end-user', { body })).status, 200)
      assert.equal((await answerOf('List end-users, newest first')).status, 200)
      assert.equal((await answerOf('List businesses, newest first')).status, 200)
    })
  }
})
