// The result of a reader: the text to send, or the rule that the text breaks.

/** The rules, by which each place that shows them finds its sentence. */
export type Rule =
  | ('required' | 'invalid' | 'tooLong')
  | ('nameTooShort' | 'latin' | 'streetTooShort')
  | ('email' | 'emailComma')
  | ('phone' | 'phoneCountryCode' | 'phoneTooShort' | 'phoneTooLong')
  | ('date' | 'dateFuture' | 'dateTooOld' | 'tooYoung')
  | ('subdivision' | 'postalCode' | 'taxNumber')

/** `values` fill the places of the sentence, such as the form of a number. */
export type Broken = { rule: Rule; values?: Readonly<Record<string, string>> }

export type Reading = { value: string } | Broken

export const isBroken = (reading: Reading): reading is Broken => 'rule' in reading

export const broken = (rule: Rule, values?: Broken['values']): Broken => ({ rule, ...(values && { values }) })
