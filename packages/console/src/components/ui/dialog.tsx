// A modal dialog: the keyboard stays in it, Escape closes it. While its request runs, neither the dialog nor the page
// can be left, so that the response is seen.

import { useBlocker } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from 'react'
import { keepPage } from '../../session/kept-page.ts'
import { Button } from './button.tsx'

type Props = {
  title: string
  description?: ReactNode
  /** Opens the dialog; left out where `open` is set from outside. */
  trigger?: ReactNode
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** Whether only its own buttons lead out of it. */
  isFinal?: boolean
  children: ReactNode
}

type Hold = { isHeld: boolean; hold: (isHeld: boolean) => void }

const Held = createContext<Hold>({ isHeld: false, hold: () => {} })

export function Dialog({ title, description, trigger, open, onOpenChange, isFinal = false, children }: Props) {
  const [isOpenHere, setOpenHere] = useState(false)
  const [isHeld, hold] = useState(false)
  const change = (next: boolean) => {
    if (isHeld && !next) return
    setOpenHere(next)
    onOpenChange?.(next)
  }
  return (
    <Held value={{ isHeld, hold }}>
      <Radix.Root open={open ?? isOpenHere} onOpenChange={change}>
        {trigger !== undefined && <Radix.Trigger asChild>{trigger}</Radix.Trigger>}
        <Radix.Portal>
          <Radix.Overlay className="fixed inset-0 z-50 bg-black/45" />
          <Radix.Content
            {...(description === undefined && { 'aria-describedby': undefined })}
            className="fixed top-1/2 left-1/2 z-50 grid max-h-[90dvh] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 -translate-y-1/2 gap-4 overflow-y-auto rounded-xl border border-line bg-surface p-5 shadow-xl"
          >
            <div className="grid gap-1 pr-8">
              <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
              {description !== undefined && <Radix.Description className="text-soft">{description}</Radix.Description>}
            </div>
            {children}
            {!isFinal && (
              <DialogClose>
                <Button variant="ghost" size="icon" className="absolute top-3 right-3" aria-label="Close">
                  <X />
                </Button>
              </DialogClose>
            )}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Held>
  )
}

/** A button that closes the dialog around it. */
export function DialogClose({ children }: { children: ReactNode }) {
  const { isHeld } = useContext(Held)
  return (
    <Radix.Close asChild disabled={isHeld}>
      {children}
    </Radix.Close>
  )
}

/** Keeps the surrounding dialog open while a request runs, even if the reader presses Back or the session ends. */
export function useHeldOpen(isRunning: boolean): void {
  const { hold } = useContext(Held)
  useLayoutEffect(() => {
    if (!isRunning) return
    hold(true)
    const release = keepPage()
    return () => {
      hold(false)
      release()
    }
  }, [hold, isRunning])
  useBlocker({
    shouldBlockFn: ({ action }) => action !== 'PUSH' && action !== 'REPLACE', // those are the page's own
    enableBeforeUnload: isRunning,
    disabled: !isRunning,
  })
}
