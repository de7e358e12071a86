// A dialog at the top of the page with a field and the commands or findings that fit what is typed.

import { Command } from 'cmdk'
import { type LucideIcon, Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

type Props = {
  /** Names the dialog, its field and its list for screen readers. */
  label: string
  placeholder: string
  text: string
  onType: (text: string) => void
  onClose: () => void
  children: ReactNode
}

/** The caller shows what fits the text; nothing is filtered here. */
export function CommandDialog({ label, placeholder, text, onType, onClose, children }: Props) {
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[8dvh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-surface shadow-xl"
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          <Command label={label} shouldFilter={false} loop>
            <div className="flex items-center gap-2.5 border-line border-b px-4">
              <Search aria-hidden="true" className="size-4 shrink-0 text-soft" />
              <Command.Input
                value={text}
                onValueChange={onType}
                placeholder={placeholder}
                maxLength={320}
                spellCheck={false}
                className="h-12 w-full min-w-0 bg-transparent text-ink outline-none placeholder:text-soft"
              />
            </div>
            <Command.List label={label} className="max-h-[65dvh] overflow-y-auto p-2">
              {children}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function CommandGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={title}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-soft [&_[cmdk-group-heading]]:text-xs"
    >
      {children}
    </Command.Group>
  )
}

type ItemProps = { id: string; icon: LucideIcon; title: ReactNode; note?: string | undefined; onSelect: () => void }

export function CommandItem({ id, icon: Icon, title, note, onSelect }: ItemProps) {
  return (
    <Command.Item
      value={id}
      onSelect={onSelect}
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 data-[selected=true]:bg-accent-soft"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-soft" />
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {note !== undefined && <span className="shrink-0 text-soft text-xs max-sm:hidden">{note}</span>}
    </Command.Item>
  )
}
