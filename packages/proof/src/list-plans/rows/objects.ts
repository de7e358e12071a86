// End-users, virtual accounts and deposits. Each deposit has the columns that its activities tell.

import { differenceOf } from '../../../../server/src/deposits/report.rules.ts'
import { advance, referencesAndHashes, shownDeposit } from '../../../../server/src/deposits/state.rules.ts'
import { railsBy } from '../../../../server/src/end-users/kyc/status.rules.ts'
import type { Tx } from '../../../../server/src/platform/postgres/query.ts'
import { readActivity } from '../../../../server/src/provider/bridge/wire/activity.ts'
import type { DepositInstructions } from '../../../../server/src/virtual-accounts/bank-details.rules.ts'

/**
 * Of 100 people one was rejected and one is a company; of a million one is paused, has an account that failed and a deposit
 * in review; nobody is offboarded. Of 1,000 deposits one does not add up. Each
 * deposit has a request for information; almost all are closed.
 */
export async function writeObjects(tx: Tx): Promise<void> {
  await tx`
    insert into end_users (business_id, id, external_user_id, provider, email, search_name, search_email, type, metadata, kyc_status, provider_status, tos_status,
      rails, provider_customer_id, provider_updated_at, created_at, updated_at)
    select business_id, 'eu_' || place, 'user-' || n, 'bridge', case when n % 2 = 0 then 'person-' || n || '@example.com' end,
      'user-' || n, case when n % 2 = 0 then 'person-' || n || '@example.com' end,
      case when n % 100 = 7 then 'business' else 'individual' end,
      jsonb_build_object('plan', case when n % 4 < 2 then 'gold' else 'silver' end, 'nth', (n / 100)::text),
      case when n % 1000000 = 11 then 'paused' when n % 100 = 1 then 'rejected' else 'approved' end,
      case when n % 1000000 = 11 then 'paused' when n % 100 = 1 then 'rejected' else 'active' end, 'approved',
      ${tx.json(railsBy((currency) => (currency === 'usd' ? 'active' : 'inactive')))}, 'customer-' || n, made_at, made_at, made_at
    from seeded`
  await tx`
    insert into virtual_accounts (business_id, id, end_user_id, provider, provider_virtual_account_id, status, provider_status, source_currency,
      destination_payment_rail, destination_currency, destination_address, developer_fee_percent, metadata, instructions, created_at,
      updated_at)
    select business_id, 'va_' || place, 'eu_' || place, 'bridge', 'account-' || n,
      case when n % 1000000 = 11 then 'failed' when n % 100 = 1 then 'deactivated' else 'active' end,
      case when n % 1000000 = 11 then null when n % 100 = 1 then 'deactivated' else 'activated' end, 'usd', 'solana', 'usdc',
      'EPjFWdd5AufqSSqeM2' || place, '1', jsonb_build_object('plan', case when n % 4 < 2 then 'gold' else 'silver' end),
      ${tx.json(instructions)}, made_at, made_at
    from seeded`
  await writeDeposits(tx)
  await tx`
    insert into information_requests (business_id, id, provider_id, end_user_id, referent_type, provider_deposit_id, state,
      deadline, opened_at, state_changed_at, created_at, updated_at)
    select business_id, 'ireq_' || place, 'rfi-' || place, 'eu_' || place, 'deposit', 'upstream-' || n,
      case when n % 1000000 = 11 then 'action_required' when n % 100 = 1 then 'in_review' else 'closed' end, made_at, made_at,
      made_at, made_at, made_at
    from seeded`
  for (const table of ['end_users', 'virtual_accounts'] as const)
    await tx`
      insert into lookup_terms (business_id, term, created_at, id)
      select t.business_id, lookup_term(${table}, m.key, m.value), t.created_at, t.id
      from seeded s join ${tx.names(table)} t on t.business_id = s.business_id
        and t.id = ${table === 'end_users' ? 'eu_' : 'va_'} || s.place cross join jsonb_each_text(t.metadata) m`
  await tx`
    insert into lookup_terms (business_id, term, created_at, id)
    select d.business_id, lookup_term('deposits', '', term), d.created_at, d.id
    from seeded s join deposits d on d.business_id = s.business_id and d.id = 'dep_' || s.place cross join unnest(d.search_terms) term`
}

const instructions: DepositInstructions = {
  currency: 'usd',
  rails: ['ach_push', 'wire'].map((rail) => ({
    rail,
    numbers: { accountNumber: '900123456789', routingNumber: '101019644' },
  })),
  beneficiaryName: 'Grace Example',
  beneficiaryAddress: '1 Main Street, Springfield, IL 62701, US',
  bankName: 'Example Bank',
  bankAddress: '2 Market Street, Kansas City, MO 64105, US',
  depositMessage: null,
}

/** Placeholders for the place and the time of a row in the JSON of its activities. */
const [placeMark, timeMark] = ['PLACE', Date.UTC(2026, 0, 1)]

async function writeDeposits(tx: Tx): Promise<void> {
  const kinds = Object.entries({
    whole: [arrival, payout({ developer_fee: '1.00', exchange_fee: '0.00', subtotal_amount: '99.00' })],
    differing: [arrival, payout({})],
    in_review: [arrival, { ...arrival, id: `${placeMark}-review`, type: 'in_review' }],
  }).map(([kind, activities]) => ({ kind, ...storedAs(activities) }))
  await tx`
    insert into deposits (business_id, id, virtual_account_id, end_user_id, provider_deposit_id, status, state, source_currency,
      gross_amount, developer_fee, exchange_fee, subtotal_amount, destination_currency, destination_exchange_fee, gas_fee, net_amount, completed_at,
      difference, search_terms, created_at, updated_at)
    select business_id, 'dep_' || place, 'va_' || place, 'eu_' || place, 'upstream-' || n, k.status,
      replace(replace(k.state, ${placeMark}, place), ${String(timeMark)}, (extract(epoch from made_at) * 1000)::bigint::text)::jsonb,
      k.source_currency, k.gross_amount, k.developer_fee, k.exchange_fee, k.subtotal_amount, k.destination_currency,
      k.destination_exchange_fee, k.gas_fee, k.net_amount, case when k.completed_at is not null then made_at end, k.difference,
      array['dep_' || place, 'upstream-' || n] || string_to_array(replace(k.reported_terms, ${placeMark.toLowerCase()}, place), ' '),
      made_at, made_at
    from seeded join jsonb_to_recordset(${tx.json(kinds)}) k (kind text, status text, state text, source_currency text,
        gross_amount numeric, developer_fee numeric, exchange_fee numeric, subtotal_amount numeric, destination_currency text,
        destination_exchange_fee numeric, gas_fee numeric, net_amount numeric, completed_at timestamptz, difference text, reported_terms text)
      on k.kind = case when n % 1000000 = 11 then 'in_review' when n % 1000 = 5 then 'differing' else 'whole' end`
}

const occurred = { created_at: new Date(timeMark).toISOString(), currency: 'usd' }
const arrival = {
  ...occurred,
  id: `${placeMark}-arrival`,
  type: 'funds_received',
  amount: '100.00',
  source: { payment_rail: 'ach_push', sender_name: 'Grace Example', trace_number: `trace-${placeMark}` },
}
const payout = (told: Record<string, string>) => ({
  ...occurred,
  id: `${placeMark}-payout`,
  type: 'payment_processed',
  amount: '99.00',
  currency: 'usdc',
  destination_tx_hash: `hash-${placeMark}`,
  receipt: { initial_amount: '100.00', gas_fee: '0.00', final_amount: '99.00', ...told },
})

/** Computes the columns of a deposit from its activities, as the product does. */
function storedAs(activities: readonly object[]) {
  const currencies = { sourceCurrency: 'usd', destinationCurrency: 'usdc' }
  let state: ReturnType<typeof advance>['state'] = null
  for (const activity of activities) state = advance(state, readActivity(activity, null).activity, currencies).state
  if (!state) throw new Error('a deposit has activities')
  const shown = shownDeposit(state)
  return {
    status: state.status,
    state: JSON.stringify(state),
    source_currency: shown.sourceCurrency,
    gross_amount: shown.grossAmount?.value,
    developer_fee: shown.developerFee?.value,
    exchange_fee: shown.exchangeFee?.value,
    subtotal_amount: shown.subtotalAmount?.value,
    destination_currency: shown.destinationCurrency,
    destination_exchange_fee: shown.destinationExchangeFee?.value,
    gas_fee: shown.gasFee?.value,
    net_amount: shown.netAmount?.value,
    completed_at: shown.completedAt,
    difference: shown.completedAt === null ? null : differenceOf(shown)?.code,
    reported_terms: [...new Set(referencesAndHashes(state))].join(' ').toLowerCase(),
  }
}
