// Says above every page that the server cannot be reached.

import { WifiOff } from 'lucide-react'
import { Button } from '../components/ui/button.tsx'
import { queryClient } from '../session/client.ts'
import { useConnection } from '../session/connection.ts'

export function OfflineBar() {
  const isReached = useConnection()
  return (
    // Always there, with `aria-live`: a dialog hides from screen readers what has none when it opens.
    <div aria-live="assertive" className="sticky top-0 z-60 print:hidden">
      {!isReached && (
        <div role="alert" className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 bg-warn-soft px-4 py-2">
          <WifiOff aria-hidden="true" className="size-4" />
          <span>{navigator.onLine ? 'The server cannot be reached.' : 'You are offline.'} What you typed is kept.</span>
          <Button size="sm" onClick={() => void queryClient.refetchQueries({ type: 'active' })}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}
