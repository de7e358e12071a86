// Numbers of bank accounts with their check digits.

/** Makes an IBAN with its ISO 7064 check digits. */
export const iban = (country: string, account: string): string => {
  const digits = `${account}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  const check = 98n - (BigInt(digits) % 97n)
  return `${country}${check.toString().padStart(2, '0')}${account}`
}

/** Makes a CLABE from its first 17 digits: the 18th is the weighted checksum. */
export const clabe = (digits: string): string => {
  const weights = [3, 7, 1]
  const sum = [...digits].reduce((total, digit, index) => total + ((Number(digit) * (weights[index % 3] ?? 0)) % 10), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
