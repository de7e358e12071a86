// The emulated provider's clock, which goes forward only, and its faults.

import { useMutation, useQuery } from '@tanstack/react-query'
import { FastForward } from 'lucide-react'
import { Failure, Skeleton } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Faults } from './faults.tsx'
import { advanceClock, clockQuery } from './queries.ts'

const [minute, hour, day] = [60, 3_600, 86_400]

const steps: readonly (readonly [seconds: number, words: string])[] = [
  [hour, '1 hour'],
  [day, '1 day'],
  [7 * day, '1 week'],
  [30 * day, '30 days'],
]

/** “2 days 3 hours ahead”. */
export function aheadWords(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / day),
    Math.floor((seconds % day) / hour),
    Math.floor((seconds % hour) / minute),
  ]
  const parts = [
    [days, 'day'],
    [hours, 'hour'],
    [minutes, 'minute'],
  ] as const
  const said = parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}${count === 1 ? '' : 's'}`] : []))
  return said.length === 0 ? 'Same as real time' : `${said.slice(0, 2).join(' ')} ahead of real time`
}

export function ClockCard({ mayChange }: { mayChange: boolean }) {
  const clock = useQuery(clockQuery)
  const move = useMutation({ mutationFn: advanceClock })
  return (
    <Card title="Clock and provider errors" flush>
      <div className="grid gap-4 p-4">
        <p className="text-soft">
          Advance the sandbox clock: anything due in the skipped time happens immediately, such as KYC decisions and
          scheduled transfers. All businesses share the clock, and it only moves forward.
        </p>
        {clock.error !== null && <Failure error={clock.error} onRetry={() => void clock.refetch()} />}
        {clock.isPending && <Skeleton lines={2} />}
        {clock.data !== undefined && (
          <p role="status" className="grid gap-0.5">
            <span className="font-medium text-base">
              <Time at={clock.data.now} />
            </span>
            <span className="text-soft">{aheadWords(clock.data.offsetSeconds)}</span>
          </p>
        )}
        {mayChange && (
          <div className="flex flex-wrap items-center gap-2">
            <FastForward aria-hidden="true" className="size-4 text-soft" />
            {steps.map(([seconds, words]) => (
              <Button key={seconds} size="sm" disabled={move.isPending} onClick={() => move.mutate(seconds)}>
                {words}
              </Button>
            ))}
          </div>
        )}
        {move.error !== null && <Failure error={move.error} />}
      </div>
      <Faults mayChange={mayChange} />
    </Card>
  )
}
