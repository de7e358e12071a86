// A finding of `causeway doctor`: one line, and a remedy unless the check is ok.

export type State = 'ok' | 'warning' | 'problem'

export type Finding = { check: string; state: State; message: string; remedy?: string }

export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message })
export const warning = (check: string, message: string, remedy: string): Finding => ({
  ...{ check, state: 'warning', message, remedy },
})
export const problem = (check: string, message: string, remedy: string): Finding => ({
  ...{ check, state: 'problem', message, remedy },
})

/** Returns the first finding that applies, or `well`. */
export function firstOf(faults: readonly (Finding | null | false)[], well: Finding): Finding {
  return faults.find((fault) => fault !== null && fault !== false) || well
}

export function seconds(value: number): string {
  if (value < 120) return `${Math.round(value)} s`
  return value < 7_200 ? `${Math.round(value / 60)} min` : `${Math.round(value / 3_600)} h`
}
