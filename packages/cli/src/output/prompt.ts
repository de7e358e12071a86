// Questions to a person at a terminal. They go to standard error: standard output is for data.

import { isCancel, password, text } from '@clack/prompts'
import type { Question } from '../command.ts'

/** @returns what was typed; null when the person ended the question (Ctrl-C, Escape) */
export async function ask({ message, isSecret, placeholder }: Question): Promise<string | null> {
  const validate = (typed: string | undefined): string | undefined =>
    typed?.trim() ? undefined : 'Something is needed.'
  const common = { message, output: process.stderr, validate }
  const typed = isSecret ? await password(common) : await text({ ...common, ...(placeholder && { placeholder }) })
  return isCancel(typed) ? null : typed.trim()
}
