// A secret that the server shows once. While it is shown, nothing leaves the page: the key that a reader signed in with may be the
// one that was just replaced, and the sign-in would take the new one away.

import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { keepPage } from '../../session/kept-page.ts'
import { CopyButton } from '../copy-button.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/form.tsx'

export function SecretOnce({ name, secret, onDone }: { name: string; secret: string; onDone: () => void }) {
  const [isStored, setStored] = useState(false)
  useBlocker({ shouldBlockFn: () => true })
  useEffect(keepPage, [])
  return (
    <div className="grid gap-4">
      <div className="grid gap-2 rounded-lg border border-warn/40 bg-warn-soft p-4">
        <p className="font-medium">This is the only time the {name} is shown.</p>
        <p className="flex items-center gap-2">
          <code data-secret="" className="min-w-0 flex-1 break-all rounded bg-surface px-2 py-1.5 font-mono text-xs">
            {secret}
          </code>
          <CopyButton text={secret} name={name} label="Copy" />
        </p>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Checkbox
          label={`I have stored the ${name}`}
          checked={isStored}
          onChange={(event) => setStored(event.target.checked)}
        />
        <Button variant="primary" disabled={!isStored} onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}
