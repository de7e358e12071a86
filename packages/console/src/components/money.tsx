// Amounts come as decimal strings and are shown as they are: a float would change them.

type Amount = { value: string; currency: string }

/** “1,234.50”: digits in groups of three, decimals as they came. */
export function groupDigits(value: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(value) ?? [null, '', value, '']
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ',') + rest
}

/** An amount with its currency; a dash where it is not known. */
export function Money({ amount, className = '' }: { amount: Amount | null | undefined; className?: string }) {
  if (amount == null)
    return (
      <span className="text-soft" title="not known yet">
        –
      </span>
    )
  return (
    <span className={`whitespace-nowrap tabular-nums ${className}`}>
      {groupDigits(amount.value)} <span className="text-soft text-xs uppercase">{amount.currency}</span>
    </span>
  )
}
