// Buttons that advance a test deposit, on its own page and on the sandbox page.

import type { Body, Deposit } from '@causeway/sdk'
import { useMutation } from '@tanstack/react-query'
import { titleOf } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { causeway, queryClient } from '../../session/client.ts'

type Step = Body<'advanceDeposit'>['to']
type Ways = readonly (readonly [Step, string])[]

const reviewEnds: Ways = [
  ['completed', 'Pay out'],
  ['refunded', 'Refund'],
  ['refund_failed', 'Refund, which then fails'],
]
const next: Ways = [['next', 'Next step']]

const waysOf: { readonly [S in Deposit['status']]?: Ways } = {
  scheduled: next,
  received: next,
  in_review: reviewEnds,
  payout_submitted: next,
  refund_pending: next,
}

/** Nothing where the deposit has ended. */
export function AdvanceDeposit({ deposit: { id, status } }: { deposit: Pick<Deposit, 'id' | 'status'> }) {
  const advance = useMutation({
    mutationFn: (to: Step) => causeway.sandbox.advanceDeposit(id, { to }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['deposits'] }),
    onError: (failure) => toast.error(titleOf(failure)),
  })
  const ways = waysOf[status] ?? []
  return ways.map(([to, words]) => (
    <Button key={to} size="sm" disabled={advance.isPending} onClick={() => advance.mutate(to)}>
      {words}
    </Button>
  ))
}
