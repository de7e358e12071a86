// The one timer of the emulator: tasks are rows with a due time, worked off in order of that time, also after a restart
// and when the clock is moved.

import { newId } from '../platform/ids.ts'
import type { Clock } from './clock.ts'
import type { Task, TaskKind } from './rows.ts'
import type { State } from './state.ts'

export type TaskHandlers = Record<TaskKind, (subject: string) => void>

export type Scheduler = {
  schedule(kind: TaskKind, subject: string, delayMs: number): void
  /** Takes back what was scheduled for the subject. */
  cancel(kind: TaskKind, subject: string): void
  /** Moves the clock forward; what becomes due on the way is done at once, in order and each at its own time. */
  advance(byMs: number): void
  start(handlers: TaskHandlers): void
  stop(): void
}

/** Longest sleep: an injected or adjusted clock is looked at again at least this often. */
const napMsMax = 1_000

/** A receiver's clock is not ours to move, so a webhook is tried again when the machine's time has come. */
const goesByMachine = ({ kind }: Pick<Task, 'kind'>): boolean => kind === 'webhook_attempt'

export const createScheduler = (tasks: State['tasks'], clock: Clock): Scheduler => {
  let handlers: TaskHandlers | undefined
  let timer: NodeJS.Timeout | undefined
  let armedFor = Number.POSITIVE_INFINITY

  const timeFor = (task: Pick<Task, 'kind'>): number => (goesByMachine(task) ? clock.real() : clock.now())

  const arm = (waitMs: number) => {
    const wakeAt = clock.real() + waitMs
    if (!handlers || wakeAt >= armedFor) return
    clearTimeout(timer)
    armedFor = wakeAt
    timer = setTimeout(run, Math.min(Math.max(waitMs, 0), napMsMax))
  }
  const armForNext = () =>
    arm(tasks.all().reduce((wait, task) => Math.min(wait, task.dueAt - timeFor(task)), Number.POSITIVE_INFINITY))

  const work = (task: Task) => {
    tasks.remove(task.id)
    handlers?.[task.kind](task.subject)
  }
  const run = () => {
    armedFor = Number.POSITIVE_INFINITY
    // Only what was due when the turn began: a task that schedules itself at once must not starve the listener.
    const due = tasks.all().filter((task) => task.dueAt <= timeFor(task))
    for (const task of due.sort((a, b) => a.dueAt - b.dueAt)) {
      // One of those before it may have taken it back.
      if (tasks.get(task.id)) work(task)
    }
    armForNext()
  }
  const firstDueBy = (instant: number): Task | undefined =>
    tasks
      .all()
      .filter((task) => !goesByMachine(task) && task.dueAt <= instant)
      .reduce<Task | undefined>((first, task) => (first && first.dueAt <= task.dueAt ? first : task), undefined)

  return {
    schedule: (kind, subject, delayMs) => {
      const dueAt = timeFor({ kind }) + delayMs
      tasks.put({ id: newId(), kind, subject, dueAt })
      arm(delayMs)
    },
    cancel: (kind, subject) => {
      for (const task of tasks.all()) if (task.kind === kind && task.subject === subject) tasks.remove(task.id)
    },
    advance: (byMs) => {
      const from = clock.now()
      const until = from + byMs
      for (let task = firstDueBy(until); task; task = firstDueBy(until)) {
        const next = task
        clock.standingAt(Math.max(next.dueAt, from), () => work(next))
      }
      clock.moveBy(byMs)
      armForNext()
    },
    start: (given) => {
      handlers = given
      armForNext()
    },
    stop: () => {
      handlers = undefined
      clearTimeout(timer)
    },
  }
}
