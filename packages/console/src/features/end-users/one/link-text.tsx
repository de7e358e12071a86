// A link to open or to give away.

import { CopyButton } from '../../../components/copy-button.tsx'
import { Button } from '../../../components/ui/button.tsx'

export function LinkText({ name, link }: { name: string; link: string }) {
  return (
    <div className="grid gap-3">
      <code className="break-all rounded-md bg-sunken px-3 py-2 font-mono text-xs">{link}</code>
      <div className="flex justify-end gap-2">
        <Button asChild size="sm">
          <a href={link} target="_blank" rel="noreferrer">
            Open
          </a>
        </Button>
        <CopyButton text={link} name={name} label="Copy" />
      </div>
    </div>
  )
}
