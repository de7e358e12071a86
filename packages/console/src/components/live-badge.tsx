// Shows whether the pages update live.

import { Pause, Play, WifiOff } from 'lucide-react'
import { toggleLive, useLive } from '../session/live.ts'
import { TimeAgo } from './time.tsx'
import { Button } from './ui/button.tsx'

/** Whether the page follows what happens; a click turns it off and on. */
export function LiveBadge() {
  const live = useLive()
  if (live.state === 'off') return null
  if (live.state === 'lost')
    return (
      <Button size="sm" onClick={toggleLive} aria-label="Connection lost. Reconnecting…">
        <WifiOff className="text-bad" /> Offline <TimeAgo at={live.since} />
      </Button>
    )
  const isLive = live.state === 'live'
  return (
    <Button
      size="sm"
      onClick={toggleLive}
      aria-pressed={isLive}
      aria-label={isLive ? 'Live: pause updates' : 'Paused: resume updates'}
      title={isLive ? 'Updates automatically. Click to pause.' : 'Updates are paused. Click to resume.'}
    >
      {isLive ? <span aria-hidden="true" className="size-2 rounded-full bg-good" /> : <Pause />}
      <span className="max-sm:sr-only">{isLive ? 'Live' : 'Paused'}</span>
      {!isLive && <Play />}
    </Button>
  )
}
