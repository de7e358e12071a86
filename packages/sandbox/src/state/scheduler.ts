// The one timer of the emulator. Tasks are rows with a due time and run in order of that time, also after a restart and
// when the clock is moved.
import { newId } from '../platform/ids.ts'
import type { Clock } from './clock.ts'
import type { Task, TaskKind } from './rows.ts'
import type { State } from './state.ts'

type TaskHandlers = Record<TaskKind, (subject: string) => void>

type Scheduler = {
  schedule(kind: TaskKind, subject: string, delayMs: number): void
  /** Removes the subject's tasks of this kind. */
  cancel(kind: TaskKind, subject: string): void
  /** Moves the clock forward and runs the tasks that become due, in order, each with the clock at its due time. */
  advance(byMs: number): void
  start(handlers: TaskHandlers): void
  stop(): void
}

/** The longest sleep, because an injected or adjusted clock may jump while the timer sleeps. */
const sleepMsMax = 1_000

/** A receiver's clock cannot be moved from here, so retries of webhooks follow the machine's time. */
const usesMachineTime = (kind: TaskKind): boolean => kind === 'webhook_attempt'

const timeFor = (clock: Clock, kind: TaskKind): number => (usesMachineTime(kind) ? clock.machine() : clock.now())

const msUntilNext = (tasks: State['tasks'], clock: Clock): number =>
  tasks
    .all()
    .reduce((waitMs, { kind, dueAt }) => Math.min(waitMs, dueAt - timeFor(clock, kind)), Number.POSITIVE_INFINITY)

const firstDueBy = (tasks: State['tasks'], instant: number): Task | undefined =>
  tasks
    .all()
    .filter((task) => !usesMachineTime(task.kind) && task.dueAt <= instant)
    .reduce<Task | undefined>((first, task) => (first && first.dueAt <= task.dueAt ? first : task), undefined)

export const createScheduler = (tasks: State['tasks'], clock: Clock): Scheduler => {
  let handlers: TaskHandlers | undefined
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY

  const wakeIn = (waitMs: number) => {
    const wakeAt = clock.machine() + waitMs
    if (!handlers || wakeAt >= wakesAt) return
    clearTimeout(timer)
    wakesAt = wakeAt
    timer = setTimeout(runDueTasks, Math.min(Math.max(waitMs, 0), sleepMsMax))
  }
  const wakeForNextTask = () => wakeIn(msUntilNext(tasks, clock))

  const run = (task: Task) => {
    tasks.remove(task.id)
    handlers?.[task.kind](task.subject)
  }
  const runDueTasks = () => {
    wakesAt = Number.POSITIVE_INFINITY
    // A task that schedules itself with no delay waits for the next turn, so it cannot starve the listener.
    const due = tasks.all().filter(({ kind, dueAt }) => dueAt <= timeFor(clock, kind))
    for (const task of due.sort((a, b) => a.dueAt - b.dueAt)) {
      // An earlier task of this turn may have cancelled this one.
      if (tasks.get(task.id)) run(task)
    }
    wakeForNextTask()
  }
  return {
    schedule: (kind, subject, delayMs) => {
      tasks.put({ id: newId(), kind, subject, dueAt: timeFor(clock, kind) + delayMs })
      wakeIn(delayMs)
    },
    cancel: (kind, subject) => {
      for (const task of tasks.all()) if (task.kind === kind && task.subject === subject) tasks.remove(task.id)
    },
    advance: (byMs) => {
      const from = clock.now()
      for (let task = firstDueBy(tasks, from + byMs); task; task = firstDueBy(tasks, from + byMs)) {
        const next = task
        clock.stopAt(Math.max(next.dueAt, from), () => run(next))
      }
      clock.moveBy(byMs)
      wakeForNextTask()
    },
    start: (given) => {
      handlers = given
      wakeForNextTask()
    },
    stop: () => {
      handlers = undefined
      clearTimeout(timer)
    },
  }
}
