// The one timer of the emulator. Tasks are rows with a due time and run in order of that time, also after a restart and
// when the clock is moved.
import { newId } from '../platform/ids.ts'
import type { Clock } from './clock.ts'
import type { Table } from './table.ts'

export type Task<Kind extends string> = { id: string; kind: Kind; subject: string; dueAt: number }

type TaskHandlers<Kind extends string> = Record<Kind, (subject: string) => void>

type Scheduler<Kind extends string> = {
  schedule(kind: Kind, subject: string, delayMs: number): void
  /** Removes the subject's tasks of this kind. */
  cancel(kind: Kind, subject: string): void
  /** Moves the clock forward and runs the tasks that become due, in order, each with the clock at its due time. */
  advance(byMs: number): void
  start(handlers: TaskHandlers<Kind>): void
  stop(): void
}

/** The longest sleep, because an injected or adjusted clock may jump while the timer sleeps. */
const sleepMsMax = 1_000

/** Decides when tasks are due. Those of `machineTimeKind` follow the machine's time. */
const dueTimes = <Kind extends string>(tasks: Table<Task<Kind>>, clock: Clock, machineTimeKind: Kind) => {
  const timeFor = (kind: Kind): number => (kind === machineTimeKind ? clock.machine() : clock.now())
  return {
    timeFor,
    msUntilNext: () =>
      tasks
        .all()
        .reduce((waitMs, { kind, dueAt }) => Math.min(waitMs, dueAt - timeFor(kind)), Number.POSITIVE_INFINITY),
    firstDueBy: (instant: number) =>
      tasks
        .all()
        .filter((task) => task.kind !== machineTimeKind && task.dueAt <= instant)
        .reduce<Task<Kind> | undefined>(
          (first, task) => (first && first.dueAt <= task.dueAt ? first : task),
          undefined,
        ),
  }
}

/** @param machineTimeKind of tasks that follow the machine's time, because a receiver's clock cannot be moved from here */
export const createScheduler = <Kind extends string>(
  tasks: Table<Task<Kind>>,
  clock: Clock,
  machineTimeKind: Kind,
): Scheduler<Kind> => {
  const { timeFor, msUntilNext, firstDueBy } = dueTimes(tasks, clock, machineTimeKind)
  let handlers: TaskHandlers<Kind> | undefined
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY

  const wakeIn = (waitMs: number) => {
    const wakeAt = clock.machine() + waitMs
    if (!handlers || wakeAt >= wakesAt) return
    clearTimeout(timer)
    wakesAt = wakeAt
    timer = setTimeout(runDueTasks, Math.min(Math.max(waitMs, 0), sleepMsMax))
  }
  const wakeForNextTask = () => wakeIn(msUntilNext())

  const run = (task: Task<Kind>) => {
    tasks.remove(task.id)
    handlers?.[task.kind](task.subject)
  }
  const runDueTasks = () => {
    wakesAt = Number.POSITIVE_INFINITY
    // A task that schedules itself with no delay waits for the next turn, so it cannot starve the listener.
    const due = tasks.all().filter(({ kind, dueAt }) => dueAt <= timeFor(kind))
    for (const task of due.sort((a, b) => a.dueAt - b.dueAt)) {
      // An earlier task of this turn may have canceled this one.
      if (tasks.get(task.id)) run(task)
    }
    wakeForNextTask()
  }
  return {
    schedule: (kind, subject, delayMs) => {
      tasks.put({ id: newId(), kind, subject, dueAt: timeFor(kind) + delayMs })
      wakeIn(delayMs)
    },
    cancel: (kind, subject) => {
      for (const task of tasks.all()) if (task.kind === kind && task.subject === subject) tasks.remove(task.id)
    },
    advance: (byMs) => {
      const from = clock.now()
      for (let task = firstDueBy(from + byMs); task; task = firstDueBy(from + byMs)) {
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
