// The keys of the console.

import { Dialog } from '../../components/ui/dialog.tsx'
import type { NavItem } from '../nav.ts'
import { commandKeys } from './command-keys.ts'

export function Shortcuts({ items, onClose }: { items: readonly NavItem[]; onClose: () => void }) {
  const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
    [commandKeys, 'Search and commands'],
    [['/'], 'Search this page'],
    [['?'], 'Keyboard shortcuts'],
    ...items.map(({ key, label }) => [['g', key], `Go to ${label}`] as const),
  ]
  return (
    <Dialog title="Keyboard shortcuts" open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {keys.map(([pressed, does]) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {pressed.map((name) => (
                <kbd key={name} className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">
                  {name}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
