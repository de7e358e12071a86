// Customers of Bridge until the adapter has them.

import type { FiatCurrency } from '../../src/platform/values/rails.ts'
import type { createBridge } from '../../src/provider/bridge/bridge.ts'
import { bridgeOffer } from '../../src/provider/bridge/offer.ts'
import type { ProviderCustomer } from '../../src/provider/bridge/wire/types.ts'
import type { Customers, Standing, Verdict } from '../../src/provider/port.ts'

const verdicts: Record<string, Verdict> = {
  active: 'approved',
  incomplete: 'action_required',
  under_review: 'under_review',
  rejected: 'rejected',
  awaiting_questionnaire: 'action_required',
  awaiting_ubo: 'action_required',
  paused: 'paused',
  offboarded: 'offboarded',
  not_started: 'not_started',
}
const standingOf = (c: ProviderCustomer): Standing => ({
  id: c.id,
  reference: c.clientReferenceId,
  verdict: verdicts[c.status] ?? 'unknown',
  pause: null,
  rails: () =>
    Object.fromEntries(
      (Object.keys(bridgeOffer.fiat) as FiatCurrency[]).map((f) => [
        f,
        c.endorsements.some((e) => e.status === 'approved' && bridgeOffer.fiat[f].endorsements.includes(e.name))
          ? 'active'
          : 'pending',
      ]),
    ),
  hasAcceptedTerms: c.hasAcceptedTos,
  asks: {
    due: [...new Set(c.endorsements.flatMap((e) => e.missing))],
    review: [],
    wrong: c.endorsements.flatMap((e) => e.issues),
  },
  people: [],
  later: [],
  reasons: c.rejectionReasons,
  createdAtMs: c.createdAtMs,
  asOfMs: c.updatedAtMs,
  status: c.status,
})
export function customersForNow(b: ReturnType<typeof createBridge>): Customers {
  const bodyOf = ({ body, agreement, reference }: { body: object; agreement: string | null; reference: string }) =>
    ({ ...body, ...(agreement && { signed_agreement_id: agreement }), client_reference_id: reference }) as never
  return {
    create: async (s, w) => standingOf(await b.createCustomer(bodyOf(s), w)),
    change: async (id, s) => ({ standing: standingOf(await b.updateCustomer(id, bodyOf(s))), isAgreed: false }),
    read: async (id) => standingOf(await b.getCustomer(id)),
    findByEmail: async (e) => (await b.findCustomersByEmail(e)).map(standingOf),
    people: {
      list: (id) => b.listAssociatedPersons(id),
      add: (id, p, w) => b.createAssociatedPerson(id, p, w),
      change: (id, i, p) => b.updateAssociatedPerson(id, i, p),
    },
  }
}
