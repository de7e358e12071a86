// A deposit as an accounting entry: one line per amount with its currency, decimal points aligned.

type Amount = { value: string; currency: string }

const lines = [
  ['', 'gross amount', 'grossAmount'],
  ['−', 'developer fee', 'developerFee'],
  ['−', 'exchange fee', 'exchangeFee'],
  ['=', 'subtotal', 'subtotalAmount'],
  ['×', 'exchange rate', 'exchangeRate'],
  ['−', 'exchange fee after conversion', 'destinationExchangeFee'],
  ['−', 'gas fee', 'gasFee'],
  ['=', 'net amount', 'netAmount'],
] as const

/** @param deposit as `GET /v0/deposits/:id` shows it */
export function bookingOf(deposit: Record<string, unknown>): string[] {
  const rows = lines
    .filter(([, , name]) => !isNoFeeAfter(deposit, name))
    .map(([sign, label, name]) => {
      const { value, unit } = readAmount(deposit, name)
      const [whole = '', fraction = ''] = value.split('.')
      return { sign, label, whole, fraction: fraction && `.${fraction}`, unit }
    })
  const width = (of: (row: (typeof rows)[number]) => string) => Math.max(...rows.map((row) => of(row).length))
  const [label, whole, fraction] = [width((row) => row.label), width((row) => row.whole), width((row) => row.fraction)]
  return rows.map((row) =>
    [
      row.sign.padEnd(1),
      row.label.padEnd(label),
      `${row.whole.padStart(whole)}${row.fraction.padEnd(fraction)}`,
      row.unit,
    ].join('  '),
  )
}

/** Most deposits have no fee after the conversion, so a line with zero is left out. */
function isNoFeeAfter(deposit: Record<string, unknown>, name: string): boolean {
  const amount = deposit[name] as Amount | null
  return name === 'destinationExchangeFee' && (amount === null || amount.value === '0.00')
}

function readAmount(deposit: Record<string, unknown>, name: string): { value: string; unit: string } {
  if (name === 'exchangeRate' && deposit[name] !== null)
    return {
      value: String(deposit[name]),
      unit: `${deposit['destinationCurrency']}/${deposit['sourceCurrency']} (${deposit['exchangeRateSource']})`,
    }
  const amount = deposit[name] as Amount | null
  return amount === null ? { value: 'unknown', unit: '' } : { value: amount.value, unit: amount.currency }
}
