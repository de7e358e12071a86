// The bank: pages on which a person sends deposits and advances them. The forms work without a script and use the same
// orders as the commands.
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { advanceDeposit, advances, depositById } from '../deposits/deposits.ts'
import { placeDeposit } from '../deposits/orders.ts'
import { messagePage, sendDeveloperPage, serveAssets } from '../pages/layout.ts'
import { answerProblem, formValue, queryText, readFormsOnly, refuseForeignForms } from '../pages/requests.ts'
import { type Problems, Refusal } from '../platform/errors.ts'
import type { World } from '../state/world.ts'
import { bankPage, blankForm, type FormState } from './bank-page.ts'
import { depositPage } from './deposit-page.ts'
import { findAccount, findAccounts, findDeposit, recentDeposits } from './views.ts'

type Identified = { Params: { id: string } }

const fields = ['amount', 'outcome', 'payment_rail', 'sender_name', 'reference', 'step_ms'] as const

const unknown = (noun: string): string =>
  messagePage({
    title: `There is no such ${noun}`,
    text: 'The address may be incomplete, or the sandbox was reset since.',
    hint: 'The bank shows what there is.',
    back: { href: '/bank', label: 'Open the bank' },
  })

const showBank = (world: World, accountId: string | undefined, search: string, form = blankForm): string => {
  const { accounts, count } = findAccounts(world, search)
  const chosen = accountId === undefined ? accounts[0] : findAccount(world, accountId)
  return bankPage({ accounts, count, search, chosen, recent: recentDeposits(world), form })
}

const orderIn = (request: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((name) => {
      const value = formValue(request, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const amountRule = 'Enter an amount above zero with at most 2 decimals, such as 100.00.'

/** Returns the complaints of a refusal by field, or under the empty name when none is about a field of the form. */
const problemsIn = ({ message, body }: Refusal): Problems => {
  const keys = Object(Object(body['source']).key) as Problems
  const known = Object.entries(keys).filter(([name]) => fields.some((field) => field === name))
  if (known.length === 0) return { '': `${message}.` }
  return Object.fromEntries(
    known.map(([name, rule]) => [name, name === 'amount' ? amountRule : `This ${rule.toLowerCase()}.`]),
  )
}

const send = (world: World, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const accountId = formValue(request, 'account') ?? ''
  const account = world.state.virtualAccounts.get(accountId)
  if (!account) return sendDeveloperPage(reply, 404, unknown('account'))
  const { step_ms, ...values } = orderIn(request)
  try {
    const order = step_ms === undefined ? values : { ...values, step_ms: Number(step_ms) }
    return reply.redirect(`/bank/deposits/${placeDeposit(world, account, order).id}`, 303)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const form: FormState = {
      values: { ...values, ...(step_ms !== undefined && { step_ms }) },
      problems: problemsIn(error),
    }
    return sendDeveloperPage(reply, error.status, showBank(world, accountId, '', form))
  }
}

const move = (world: World, id: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const view = findDeposit(world, id)
  if (!view) return sendDeveloperPage(reply, 404, unknown('deposit'))
  const to = advances.find((known) => known === formValue(request, 'to'))
  if (!to) return sendDeveloperPage(reply, 400, depositPage(view, 'Choose what is to become of the deposit.'))
  try {
    advanceDeposit(world, depositById(world, id), to)
    return reply.redirect(`/bank/deposits/${id}`, 303)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return sendDeveloperPage(reply, error.status, depositPage(view, `${error.message}.`))
  }
}

/** Registers `/bank` and everything under it. */
export const bank = async (app: FastifyInstance, { world }: { world: World }): Promise<void> => {
  // A scope of its own: its body parser and its hook must not reach the provider's wire.
  await app.register(async (scope) => {
    readFormsOnly(scope)
    refuseForeignForms(scope, world.origin)
    scope.setErrorHandler(answerProblem)
    serveAssets(scope, join(import.meta.dirname, 'assets'), ['bank.css', 'bank.js'])

    scope.get('/bank', (request, reply) => {
      const [accountId, search = ''] = [queryText(request, 'account', 64), queryText(request, 'q', 100)]
      if (accountId !== undefined && !findAccount(world, accountId)) {
        return sendDeveloperPage(reply, 404, unknown('account'))
      }
      return sendDeveloperPage(reply, 200, showBank(world, accountId, search))
    })
    scope.post('/bank/deposits', (request, reply) => send(world, request, reply))
    scope.get<Identified>('/bank/deposits/:id', ({ params }, reply) => {
      const view = findDeposit(world, params.id)
      return view ? sendDeveloperPage(reply, 200, depositPage(view)) : sendDeveloperPage(reply, 404, unknown('deposit'))
    })
    scope.post<Identified>('/bank/deposits/:id/advance', (request, reply) =>
      move(world, request.params.id, request, reply),
    )
  })
}
