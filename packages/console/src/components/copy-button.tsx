// A button that copies a text.

import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { toast } from './toasts.tsx'
import { Button } from './ui/button.tsx'

const shownMs = 1_500

/** Copies a text. @param name what it is, for who does not see the button */
export function CopyButton({ text, name, label }: { text: string; name: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), shownMs)
    } catch {
      toast.error('The browser did not allow copying. Select the text and copy it by hand.')
    }
  }
  return (
    <Button
      variant={label === undefined ? 'ghost' : 'outline'}
      size="sm"
      className={label === undefined ? 'px-1.5' : ''}
      aria-label={`Copy ${name}`}
      onClick={() => void copy()}
    >
      {isCopied ? <Check className="text-good" /> : <Copy />}
      {label !== undefined && (isCopied ? 'Copied' : label)}
    </Button>
  )
}

/** A value in fixed width that can be copied: an id, a hash, an address. */
export function Copyable({ text, name, className = '' }: { text: string; name: string; className?: string }) {
  return (
    <span className={`inline-flex max-w-full items-center gap-0.5 ${className}`}>
      <code className="min-w-0 break-all font-mono text-xs">{text}</code>
      <CopyButton text={text} name={name} />
    </span>
  )
}
