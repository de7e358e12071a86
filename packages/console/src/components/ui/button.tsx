// Buttons, and the look of one for what is a link.

import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

export const buttonClasses = cva(
  'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors disabled:opacity-55 disabled:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-accent-ink hover:brightness-110',
        outline: 'border border-line bg-surface text-ink hover:bg-sunken',
        ghost: 'text-soft hover:bg-sunken hover:text-ink',
        danger: 'border border-bad/40 bg-surface text-bad hover:bg-bad-soft',
      },
      size: { md: 'h-9 px-3.5', sm: 'h-7 px-2.5 text-xs', icon: 'size-9' },
    },
    defaultVariants: { variant: 'outline', size: 'md' },
  },
)

type Props = ComponentProps<'button'> & VariantProps<typeof buttonClasses> & { asChild?: boolean }

/** `asChild` gives the look to the one child, such as a link. */
export function Button({ className, variant, size, asChild = false, type = 'button', ...props }: Props) {
  const classes = cn(buttonClasses({ variant, size }), className)
  if (asChild) return <Slot.Root className={classes} {...props} />
  return <button type={type} className={classes} {...props} />
}
