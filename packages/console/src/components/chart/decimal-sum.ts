// Sums of decimal strings, to the last digit.

/** Adds amounts of one currency. @returns with as many decimals as the longest of them */
export function sumOfDecimals(values: readonly string[]): string {
  const decimals = Math.max(0, ...values.map((value) => (value.split('.')[1] ?? '').length))
  const total = values.reduce((sum, value) => sum + unitsOf(value, decimals), 0n)
  const digits = String(total < 0n ? -total : total).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return `${total < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`
}

function unitsOf(value: string, decimals: number): bigint {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [null, '', '0', '']
  return BigInt(sign + whole + rest.padEnd(decimals, '0'))
}
