// Runs the files whose regions the documentation shows, like a reader: in a shell, in Node with the SDK and in Python,
// against a local environment. Each uses a separate end-user or account.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { png } from '../../../examples/png.ts'
import { lacking, pythonPath } from '../../../scripts/test-needs.ts'
import { freePort, until } from './caller.ts'
import { freshUserId, kycBody } from './people.ts'
import { openWorld } from './world.ts'

const root = resolve(import.meta.dirname, '../../..')
const examples = join(root, 'docs/examples')
const run = promisify(execFile)
const loud = 'curl() { command curl -sS --fail-with-body "$@"; }'

const languages = {
  'curl.sh': (file: string) => ['bash', '-e', '-u', '-o', 'pipefail', '-c', `${loud}\n. '${file}'`],
  'sdk.ts': (file: string) => [process.execPath, '--conditions=@causeway/source', file],
  'client.py': (file: string) => [pythonPath, file],
} as const
type Language = keyof typeof languages

const needs = { 'curl.sh': 'jq', 'client.py': 'python', 'sdk.ts': null } as const

describe('the code on the pages', async () => {
  const world = await openWorld({ alone: true })
  const folder = await mkdtemp(join(tmpdir(), 'causeway-snippets-'))
  after(async () => {
    await world.stop()
    await rm(folder, { recursive: true, force: true })
  })
  /** @returns a folder with the files that a reader has at hand */
  async function desk(): Promise<string> {
    const cwd = await mkdtemp(join(folder, 'desk-'))
    await copyFile(join(examples, 'onboard-company/company.json'), join(cwd, 'company.json'))
    for (const name of ['formation.png', 'passport.png']) await writeFile(join(cwd, name), png(240))
    return cwd
  }
  const common = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: world.business.apiKey }

  const statusOf = async (user: string) =>
    (await world.business.call('GET', `/v0/end-users/${user}`)).body.data.kycStatus

  async function rejectedUser(): Promise<string> {
    const user = await world.business.user()
    const body = kycBody(await world.business.acceptTerms(user), `${user}+reject`)
    await world.business.call('POST', `/v0/end-users/${user}/submit-kyc`, body)
    await until('the rejection', async () => (await statusOf(user)) === 'rejected')
    return user
  }

  const isApproved = (user: string) => until('the approval', async () => (await statusOf(user)) === 'approved')
  const accountOfNewUser = async () => ({
    ACCOUNT_ID: (await world.business.account(await world.business.user('approved')))['id'] ?? '',
  })

  /** The setup and the expected outcome of each file. */
  const tasks: Record<
    string,
    { before: () => Promise<Record<string, string>>; outcome: (env: Record<string, string>, output: string) => unknown }
  > = {
    'first-end-user': {
      before: async () => ({ END_USER: freshUserId() }),
      outcome: (_env, output) => assert.match(output, /not_started/),
    },
    'first-account': {
      before: async () => ({ END_USER: await world.business.user('approved') }),
      outcome: (_env, output) => assert.match(output, /^"?active"?\s/),
    },
    'onboard-person': {
      before: async () => ({ END_USER: freshUserId() }),
      outcome: ({ END_USER = '' }) => isApproved(END_USER),
    },
    'onboard-by-link': {
      before: async () => ({ END_USER: freshUserId() }),
      outcome: async ({ END_USER = '' }, output) => {
        assert.match(output, /\/onboard\/onboarding_link_\w+#svc_onboarding_link_/)
        const links = (await world.business.call('GET', `/v0/end-users/${END_USER}/onboarding-links`)).body.data
        assert.deepEqual(
          links.map(({ status }: { status: string }) => status),
          ['open'],
        )
      },
    },
    'onboard-company': {
      before: async () => ({ END_USER: freshUserId() }),
      outcome: ({ END_USER = '' }) => isApproved(END_USER),
    },
    'handle-a-rejection': {
      before: async () => ({ END_USER: await rejectedUser() }),
      outcome: ({ END_USER = '' }, output) => {
        assert.match(output, /resubmit_kyc/)
        return isApproved(END_USER)
      },
    },
    'handle-errors': {
      before: async () => ({ END_USER: await world.business.user() }),
      outcome: (_env, output) => assert.match(output, /KYC is not complete/),
    },
    'open-an-account': {
      before: async () => ({ END_USER: await world.business.user('approved') }),
      outcome: async ({ END_USER = '' }) => {
        const accounts = (await world.business.call('GET', `/v0/virtual-accounts?externalUserId=${END_USER}`)).body.data
        assert.deepEqual(
          accounts.map(({ status }: { status: string }) => status),
          ['active'],
        )
      },
    },
    'show-bank-details': {
      before: accountOfNewUser,
      outcome: (_env, output) => assert.match(output, /Account number|account_number/i),
    },
    'follow-a-deposit': {
      before: accountOfNewUser,
      outcome: async ({ ACCOUNT_ID = '' }) => {
        const deposits = (await world.business.call('GET', `/v0/virtual-accounts/${ACCOUNT_ID}/deposits`)).body.data
        assert.equal(deposits.length, 1)
      },
    },
    'reconcile-a-day': {
      before: async () => {
        const { ACCOUNT_ID } = await accountOfNewUser()
        await world.business.call('POST', '/v0/sandbox/deposits', { virtualAccountId: ACCOUNT_ID, amount: '40.00' })
        const deposits = `/v0/virtual-accounts/${ACCOUNT_ID}/deposits?status=completed`
        const [deposit] = await until('the deposit', async () => {
          const { data } = (await world.business.call('GET', deposits)).body
          return data.length > 0 && data
        })
        return { DEPOSIT_ID: deposit.id }
      },
      outcome: ({ DEPOSIT_ID = '' }, output) => {
        assert.match(output, /grossAmount/)
        assert.equal(output.split(DEPOSIT_ID).length - 1, 2, 'in the list and in the file')
      },
    },
    'receive-webhooks': {
      before: async () => ({ RECEIVER_URL: `${world.provider.origin}/inbox/${freshUserId()}` }),
      outcome: async ({ RECEIVER_URL }) => {
        const endpoints: { webhookUrl: string; id: string }[] = (
          await world.business.call('GET', '/v0/webhook-endpoints')
        ).body.data
        const [mine] = endpoints.filter(({ webhookUrl }) => webhookUrl === RECEIVER_URL)
        await until('the test event', async () => {
          const deliveries = await world.business.call(
            'GET',
            `/v0/deliveries?webhookEndpointId=${mine?.id}&status=delivered`,
          )
          return deliveries.body.data.length > 0
        })
      },
    },
  }

  test('each task has a file for each language, and each file is run', async () => {
    const folders = (await readdir(examples, { withFileTypes: true })).filter((entry) => entry.isDirectory())
    const named = [...Object.keys(tasks), 'pull-events', 'shell']
    assert.deepEqual(folders.map(({ name }) => name).sort(), named.sort())
  })

  /** Starts a program that runs until it is stopped. @returns when it has printed the line */
  async function untilPrinted(
    line: string,
    program: string,
    args: string[],
    env: Record<string, string>,
  ): Promise<void> {
    const child = spawn(program, args, {
      cwd: await desk(),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      for await (const printed of createInterface({ input: child.stdout })) if (printed.includes(line)) return
      assert.fail(`${args.at(-1)} ended before it printed ${line}`)
    } finally {
      child.kill()
    }
  }

  const receivers = { 'receiver.ts': 'sdk.ts', 'receiver.py': 'client.py' } as const
  for (const [file, language] of Object.entries(receivers)) {
    const need = needs[language]
    test(`receive-webhooks/${file}`, { skip: need === null ? false : lacking(need) }, async () => {
      const port = String(await freePort())
      const webhookUrl = `http://127.0.0.1:${port}/webhooks`
      const { id, signingSecret } = (await world.business.call('POST', '/v0/webhook-endpoints', { webhookUrl })).body
        .data
      const env = { PORT: port, SIGNING_SECRET: signingSecret }
      const [program = '', ...args] = languages[language](join(examples, 'receive-webhooks', file))
      const printed = untilPrinted('webhook_endpoint.test', program, args, env)
      const forged = await until('the receiver', () =>
        fetch(webhookUrl, { method: 'POST', body: '{}' }).catch(() => null),
      )
      assert.equal(forged.status, 401)
      await world.business.call('POST', `/v0/webhook-endpoints/${id}/test`)
      await printed
      await world.business.call('DELETE', `/v0/webhook-endpoints/${id}`)
    })
  }

  // Most of each is waiting for the emulator.
  describe('in three languages', { concurrency: 6 }, () => {
    for (const language of Object.keys(languages) as Language[]) {
      const need = needs[language]
      test(`pull-events/${language}`, { skip: need === null ? false : lacking(need) }, async () => {
        const { ACCOUNT_ID } = await accountOfNewUser()
        await world.business.call('POST', '/v0/sandbox/deposits', { virtualAccountId: ACCOUNT_ID, amount: '25.00' })
        await until('the payment', async () => {
          const paid = await world.business.call('GET', '/v0/events?eventType=virtual_account.payment.received')
          return paid.body.data.length > 0
        })
        const [program = '', ...args] = languages[language](join(examples, 'pull-events', language))
        await untilPrinted('virtual_account.payment.received', program, args, common)
      })
    }

    for (const [task, { before, outcome }] of Object.entries(tasks)) {
      for (const language of Object.keys(languages) as Language[]) {
        const need = needs[language]
        test(`${task}/${language}`, { skip: need === null ? false : lacking(need) }, async () => {
          const env = { ...common, ...(await before()) }
          const [program = '', ...args] = languages[language](join(examples, task, language))
          const { stdout } = await run(program, args, { cwd: await desk(), env: { ...process.env, ...env } })
          await outcome(env, stdout)
        })
      }
    }
  })

  // These turn the faults on and move the clock, so each is alone.
  describe('in the shell alone', { skip: lacking('jq') }, () => {
    const things: Record<string, () => Promise<{ env?: Record<string, string>; kyc?: Record<string, unknown> }>> = {
      'deposits.sh': async () => ({}),
      'end-users.sh': async () => {
        const END_USER = await world.business.user()
        const { identifying_information: _papers, ...body } = kycBody(
          await world.business.acceptTerms(END_USER),
          END_USER,
        )
        const passport = { type: 'passport', issuing_country: 'usa', number: 'P1234567' }
        return { env: { END_USER }, kyc: { ...body, identifying_information: [passport] } }
      },
      'onboarding.sh': async () => {
        const END_USER = await world.business.user()
        await world.business.call('POST', `/v0/end-users/${END_USER}/onboarding-links`, {})
        return { env: { END_USER } }
      },
      'requests.sh': async () => ({}),
      'sandbox.sh': async () => {
        const { ACCOUNT_ID } = await accountOfNewUser()
        const { tosLink } = (await world.business.call('POST', `/v0/end-users/${await world.business.user()}/tos-link`))
          .body.data
        const env = {
          END_USER: await world.business.user('approved'),
          ACCOUNT_ID,
          TOS_LINK: tosLink,
          SANDBOX_URL: world.provider.origin,
          PROVIDER_API_KEY: world.facts.providerApiKey,
        }
        return { env }
      },
      'webhooks.sh': async () => ({}),
    }

    test('each file is run', async () => {
      assert.deepEqual((await readdir(join(examples, 'shell'))).sort(), Object.keys(things).sort())
    })

    for (const [file, prepare] of Object.entries(things)) {
      test(file, async () => {
        const { env = {}, kyc = {} } = await prepare()
        const cwd = await desk()
        await writeFile(join(cwd, 'kyc.json'), JSON.stringify(kyc))
        const [program = '', ...args] = languages['curl.sh'](join(examples, 'shell', file))
        const { stdout } = await run(program, args, { cwd, env: { ...process.env, ...common, ...env } })
        assert.doesNotMatch(stdout, /"error":/)
      })
    }
  })
})
