// An adapter for Tollgate, a provider that does not exist: key, terms, and a person up to the verdict. Accounts, deposits and
// events are not built. The page "Write a provider adapter" shows this file part by part.

// region imports
import type { JsonObject } from '../../../src/platform/values/json.ts'
import { type Call, createCaller, path, type Wire } from '../../../src/provider/http/caller.ts'
import { failureOfAnswer } from '../../../src/provider/http/failures.ts'
import {
  member,
  readList,
  readObject,
  requiredText,
  strings,
  text,
  WireError,
  webLink,
} from '../../../src/provider/http/fields.ts'
import {
  type Customers,
  type Provider,
  ProviderError,
  type Refusal,
  type Standing,
  type Submission,
  type Terms,
  type Traits,
  type Verdict,
} from '../../../src/provider/port.ts'

// endregion

// region wire
/** Tollgate's refusals on which the service acts. Any other stays without a term. */
const refusals: ReadonlyMap<string, Refusal> = new Map([
  ['CONSENT_UNKNOWN', 'agreement_invalid'],
  ['MAIL_TAKEN', 'already_there'],
])

/** Tollgate's fields by the names of our form. */
const formNames: ReadonlyMap<string, string> = new Map([
  ['mail', 'email'],
  ['born', 'birth_date'],
  ['home', 'residential_address'],
  ['consent', 'signed_agreement_id'],
])

/** Anything else in the place of a code may be data, which must not be in logs. */
const codeOf = (why: JsonObject) => /^[A-Z_]{1,40}$/.exec(text(why, 'kind') ?? '')?.[0] ?? null

const wireOf = (apiKey: string): Wire => ({
  headersOf: (write) => ({ 'x-tollgate-token': apiKey, ...(write && { 'x-tollgate-ref': write.key }) }),
  errorOf: (answer) =>
    failureOfAnswer(answer, (body) => {
      const why = member(body, 'why')
      const code = codeOf(why)
      const field = text(why, 'what')
      const reason = text(why, 'say')
      const fields = field === null ? {} : { [formNames.get(field) ?? field]: reason ?? '' }
      return { code, reason, refusal: refusals.get(code ?? '') ?? null, fields }
    }),
})

/** Every success is `{"ok": true, "result": …}`. */
const resultOf = (body: unknown) => readObject(body)['result']
// endregion

// region traits
const repeats: Traits['repeats'] = {
  'tos_link.create': 'harmless', // an unused link has no effect
  'customer.create': 'same_key',
  'customer.update': 'harmless', // the same data twice leaves the same person
  'associated_person.create': 'same_key',
  'kyc_link.create': 'same_key',
  // The document is silent about accounts. Until somebody has tried: read, and write only what is missing.
  'virtual_account.create': 'read_first',
  'virtual_account.update': 'read_first',
  'virtual_account.deactivate': 'read_first',
  'virtual_account.reactivate': 'read_first',
}

const traitsOf = (origin: string): Traits => ({
  repeats,
  keyLifeMs: null, // "A reference is used once, ever."
  fee: null,
  canChange: { destination: false, fee: false },
  travelRule: false,
  pageOrigins: [origin],
  readsPerSecond: 2,
})

const absent = { depositRails: [], minimumAmount: '1', endorsements: [] }
const offer: Provider['offer'] = {
  fiat: {
    usd: { depositRails: ['wire'], minimumAmount: '10', endorsements: [] },
    ...{ eur: absent, mxn: absent, brl: absent, gbp: absent, cop: absent },
  },
  chains: { polygon: { addressFamily: 'evm', memo: false, currencies: ['usdc'] } },
}
// endregion

// region calls
type Methods = ReturnType<typeof methodsOf>
type Rest<T> = Pick<Call<T>, 'body' | 'write'>

/** `operation` is for logs and metrics, so it holds no ID. */
const methodsOf = ({ call }: ReturnType<typeof createCaller>) => ({
  get: <T>(operation: string, at: string, read: (result: unknown) => T, query: Call<T>['query'] = {}) =>
    call({ operation, method: 'GET', path: at, query, read: (body) => read(resultOf(body)) }),
  send: <T>(operation: string, method: 'POST' | 'PUT', at: string, read: (result: unknown) => T, rest: Rest<T>) =>
    call({ operation, method, path: at, read: (body) => read(resultOf(body)), ...rest }),
})
// endregion

// region terms
function readPage(result: unknown): { url: string } {
  const url = webLink(requiredText(readObject(result), 'consent', 'page'))
  if (url === null) throw new WireError('page is not a web address')
  return { url }
}

const termsOf = ({ send }: Methods): Terms => ({
  createLink: (write) => send('createConsent', 'POST', '/consents', readPage, { write }),
  linkOfCustomer: null, // a customer agrees by a new link, and a change with the new agreement
  withReturn: null,
})
// endregion

// region verdict
const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ['NEEDS', 'action_required'],
  ['CHECKING', 'under_review'],
  ['OK', 'approved'],
  ['NO', 'rejected'],
])

/** Tollgate's names for what is missing, and ours. */
const catalogue: ReadonlyMap<string, string[]> = new Map([
  ['NAME', ['first_name', 'last_name']],
  ['BORN', ['date_of_birth']],
  ['HOME', ['address_of_residence']],
])

function standingOf(value: unknown): Standing {
  const folk = readObject(value)
  const status = requiredText(folk, 'folk', 'state')
  const { no, changed } = folk
  if (typeof no !== 'number') throw new WireError('folk without no')
  const verdict = verdicts.get(status) ?? 'unknown'
  return {
    id: String(no),
    reference: text(folk, 'yours'),
    verdict,
    pause: null,
    rails: (counted) => ({ usd: verdict === 'unknown' ? 'inactive' : counted === 'approved' ? 'active' : 'pending' }),
    hasAcceptedTerms: typeof folk['consented'] === 'boolean' ? folk['consented'] : null,
    asks: { due: strings(folk['lacks']).flatMap((name) => catalogue.get(name) ?? [name]), review: [], wrong: [] },
    people: [],
    later: [],
    reasons: strings(folk['because']),
    createdAtMs: null,
    asOfMs: typeof changed === 'number' ? changed * 1_000 : null, // Tollgate counts seconds
    status,
  }
}

const standingsOf = (value: unknown): Standing[] => readList(value).map(standingOf)
// endregion

// region customers
/** Tollgate has no companies, so nobody belongs to one. */
const noPeople: Customers['people'] = {
  list: async () => [],
  add: () => Promise.reject(new ProviderError('rejected', { refusal: 'not_served' })),
  change: () => Promise.reject(new ProviderError('rejected', { refusal: 'not_served' })),
}

/** A field that is undefined is not sent, and stays as it is. */
const folkOf = ({ body, agreement, reference }: Submission) => ({
  mail: text(body, 'email') ?? undefined,
  name: text(body, 'first_name') && text(body, 'last_name') ? `${body['first_name']} ${body['last_name']}` : undefined,
  born: text(body, 'birth_date') ?? undefined,
  home: body['residential_address'] as JsonObject | undefined,
  consent: agreement ?? undefined,
  yours: reference,
})

const customersOf = ({ get, send }: Methods): Customers => ({
  create: (submission, write) => send('createFolk', 'POST', '/folk', standingOf, { body: folkOf(submission), write }),
  async change(id, submission) {
    const standing = await send('changeFolk', 'PUT', path`/folk/${id}`, standingOf, { body: folkOf(submission) })
    return { standing, isAgreed: submission.agreement !== null }
  },
  read: async (id) => get('readFolk', path`/folk/${id}`, standingOf),
  findByEmail: (email) => get('findFolk', '/folk', standingsOf, { mail: email.toLowerCase() }),
  people: noPeople,
})
// endregion

// region adapter
/** Undefined parts are not built yet. A part that Tollgate does not have is null. */
export type Toy = Pick<Provider, 'kind' | 'traits' | 'offer' | 'form' | 'customers' | 'terms' | 'hostedKyc' | 'ping'> &
  Pick<Provider, 'informationRequests' | 'record' | 'endpoints' | 'occupations' | 'testing'>

export type ToyOptions = { baseUrl: string; apiKey: string; timeoutMs: number }

export function createToy({ apiKey, ...options }: ToyOptions): Toy & { close(): Promise<void> } {
  const caller = createCaller(wireOf(apiKey), options)
  const methods = methodsOf(caller)
  return {
    kind: 'tollgate',
    traits: traitsOf(new URL(options.baseUrl).origin),
    offer,
    form: null,
    customers: customersOf(methods),
    terms: termsOf(methods),
    hostedKyc: null,
    informationRequests: null,
    record: null,
    endpoints: null,
    occupations: null,
    testing: null,
    ping: () => methods.get('whoami', '/whoami', () => undefined),
    close: caller.close,
  }
}
// endregion
