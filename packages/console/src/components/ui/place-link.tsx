// A link to a page of another subject, by its address.

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** `to`: the path below /console, its parts percent-encoded. `hash`: a part of the page. */
export type Place = { to: string; search?: Readonly<Record<string, string>>; hash?: string }

type Props = Place & { className?: string; children: ReactNode }

export function PlaceLink({ to, search, hash, className, children }: Props) {
  return (
    <Link
      to={to}
      {...(search && { search })}
      {...(hash !== undefined && { hash })}
      className={className ?? 'text-accent underline'}
    >
      {children}
    </Link>
  )
}
