// The one timer of the emulator: tasks are rows with a due time, worked off in order of that time, also after a restart.
import { newId } from './ids.ts'
import type { State } from './state.ts'

export type TaskKind = 'kyc_decision' | 'endorsement_revocation' | 'deposit_step' | 'webhook_attempt'

export type Task = { id: string; kind: TaskKind; subject: string; dueAt: number }

export type TaskHandlers = Record<TaskKind, (subject: string) => void>

export type Scheduler = {
  schedule(kind: TaskKind, subject: string, delayMs: number): void
  start(handlers: TaskHandlers): void
  stop(): void
}

/** Longest sleep: an injected or adjusted clock is looked at again at least this often. */
const napMsMax = 1_000

export const createScheduler = (tasks: State['tasks'], now: () => number): Scheduler => {
  let handlers: TaskHandlers | undefined
  let timer: NodeJS.Timeout | undefined
  let armedFor = Number.POSITIVE_INFINITY

  const nextDue = (): number =>
    tasks.all().reduce((first, task) => Math.min(first, task.dueAt), Number.POSITIVE_INFINITY)

  const arm = (dueAt: number) => {
    if (!handlers || dueAt >= armedFor) return
    clearTimeout(timer)
    armedFor = dueAt
    timer = setTimeout(run, Math.min(Math.max(dueAt - now(), 0), napMsMax))
  }
  const run = () => {
    armedFor = Number.POSITIVE_INFINITY
    // Only what was due when the turn began: a task that schedules itself at once must not starve the listener.
    const due = tasks.all().filter((task) => task.dueAt <= now())
    for (const task of due.sort((a, b) => a.dueAt - b.dueAt)) {
      tasks.remove(task.id)
      handlers?.[task.kind](task.subject)
    }
    arm(nextDue())
  }
  return {
    schedule: (kind, subject, delayMs) => {
      const dueAt = now() + delayMs
      tasks.put({ id: newId(), kind, subject, dueAt })
      arm(dueAt)
    },
    start: (given) => {
      handlers = given
      arm(nextDue())
    },
    stop: () => {
      handlers = undefined
      clearTimeout(timer)
    },
  }
}
