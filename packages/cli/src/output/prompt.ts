// Prompts at a terminal. Prompts go to standard error, because standard output is for data.

import { isCancel, password, text } from '@clack/prompts'
import type { Question } from '../command.ts'

/** @returns the text that was typed; null when the person canceled (Ctrl-C, Escape) */
export async function ask({ message, isSecret, placeholder }: Question): Promise<string | null> {
  const validate = (typed: string | undefined): string | undefined => (typed?.trim() ? undefined : 'Enter a value.')
  const common = { message, output: process.stderr, validate }
  const typed = isSecret ? await password(common) : await text({ ...common, ...(placeholder && { placeholder }) })
  return isCancel(typed) ? null : typed.trim()
}
