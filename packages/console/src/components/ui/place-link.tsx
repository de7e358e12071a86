// A link to a page of another subject, by its address.

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

type Props = { to: string; search?: Readonly<Record<string, string>>; className?: string; children: ReactNode }

/** @param to the path below /console, its parts percent-encoded */
export function PlaceLink({ to, search, className, children }: Props) {
  return (
    <Link to={to} {...(search && { search })} className={className ?? 'text-accent underline'}>
      {children}
    </Link>
  )
}
