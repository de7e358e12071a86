// The amounts of a deposit from the payment to the payout, each in its own currency, as the provider reported them.

import type { Deposit } from '@causeway/sdk'
import type { ReactNode } from 'react'
import { groupDigits, Money } from '../../components/money.tsx'
import { cn } from '../../components/ui/cn.ts'

type Amount = Deposit['grossAmount']

export function Waterfall({ deposit }: { deposit: Deposit }) {
  const { grossAmount, developerFee, exchangeFee, subtotalAmount, gasFee, netAmount } = deposit
  const { destinationExchangeFee, refundedAmount } = deposit
  const isFeeAfter = destinationExchangeFee !== null && destinationExchangeFee.value !== '0.00'
  return (
    <table className="w-full border-collapse">
      <caption className="sr-only">From the amount received to the amount paid out</caption>
      <tbody>
        <Line words="Received" amount={grossAmount} isSum />
        <Line words="Your fee" sign="−" amount={developerFee} />
        <Line words="Provider fee" sign="−" amount={exchangeFee} />
        <Line words="Converted" sign="=" amount={subtotalAmount} isSum />
        <Rate deposit={deposit} />
        {isFeeAfter && <Line words="Provider fee after conversion" sign="−" amount={destinationExchangeFee} />}
        <Line words="Network fee" sign="−" amount={gasFee} />
        <Line words="Paid out" sign="=" amount={netAmount} isSum isLast />
        {refundedAmount !== null && <Line words="Refunded" amount={refundedAmount} isSum />}
      </tbody>
    </table>
  )
}

type LineProps = { words: ReactNode; amount: Amount; sign?: string; isSum?: boolean; isLast?: boolean }

function Line({ words, amount, sign = '', isSum = false, isLast = false }: LineProps) {
  return (
    <tr className={cn(isSum && 'border-line border-t first:border-0', isLast && amount !== null && 'bg-good-soft')}>
      <Sign>{sign}</Sign>
      <th scope="row" className={cn('py-2 text-left font-normal', isSum ? 'font-semibold' : 'text-soft')}>
        {words}
      </th>
      <td className={cn('py-2 pr-4 text-right', isSum && 'font-semibold')}>
        <Money amount={amount} />
      </td>
    </tr>
  )
}

const Sign = ({ children }: { children: string }) => (
  <td aria-hidden="true" className="w-9 py-2 pl-4 text-soft tabular-nums">
    {children}
  </td>
)

function Rate({ deposit }: { deposit: Deposit }) {
  const { exchangeRate, exchangeRateSource, sourceCurrency, destinationCurrency } = deposit
  return (
    <tr className="border-line border-t">
      <Sign>×</Sign>
      <th scope="row" className="py-2 text-left font-normal text-soft">
        Rate
        {exchangeRateSource !== null && (
          <span className="block text-xs">
            {exchangeRateSource === 'provider' ? 'from the provider' : 'calculated from the amounts'}
          </span>
        )}
      </th>
      <td className="py-2 pr-4 text-right">
        {exchangeRate === null ? (
          <span className="text-soft" title="not known yet">
            –
          </span>
        ) : (
          <span className="tabular-nums">
            <span className="text-soft text-xs uppercase">1 {sourceCurrency} =</span> {groupDigits(exchangeRate)}{' '}
            <span className="text-soft text-xs uppercase">{destinationCurrency}</span>
          </span>
        )}
      </td>
    </tr>
  )
}
