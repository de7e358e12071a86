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

  const nextDue = (): Task | undefined =>
    tasks
      .all()
      .reduce<Task | undefined>((first, task) => (first && first.dueAt <= task.dueAt ? first : task), undefined)

  const arm = () => {
    clearTimeout(timer)
    const next = handlers && nextDue()
    if (next) timer = setTimeout(run, Math.min(Math.max(next.dueAt - now(), 0), napMsMax))
  }
  const run = () => {
    // Only what was due when the turn began: a task that schedules itself at once must not starve the listener.
    const due = tasks.all().filter((task) => task.dueAt <= now())
    for (const task of due.sort((a, b) => a.dueAt - b.dueAt)) {
      tasks.remove(task.id)
      handlers?.[task.kind](task.subject)
    }
    arm()
  }
  return {
    schedule: (kind, subject, delayMs) => {
      tasks.put({ id: newId(), kind, subject, dueAt: now() + delayMs })
      arm()
    },
    start: (given) => {
      handlers = given
      arm()
    },
    stop: () => {
      handlers = undefined
      clearTimeout(timer)
    },
  }
}
