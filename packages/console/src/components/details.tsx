// The details of an object, in one order on every page: its status, what it is, who takes part, when, and its IDs.

import type { ReactNode } from 'react'
import { Copyable } from './copy-button.tsx'
import { Facts } from './page.tsx'
import { Card } from './ui/card.tsx'

/** Values by their names. Values that are absent are left out. */
type Named = Readonly<Record<string, ReactNode>>

type Props = {
  status?: Named
  /** Amounts, currencies, settings. */
  what?: Named
  /** People, and the other objects. */
  who?: Named
  when?: Named
  /** Each has a button that copies it. */
  ids: Readonly<Record<string, string | null>>
}

export function DetailsCard({ status = {}, what = {}, who = {}, when = {}, ids }: Props) {
  const copied = Object.entries(ids).map(
    ([name, id]) => [name, id && <Copyable key={name} text={id} name={`the ${inSentence(name)}`} />] as const,
  )
  return (
    <Card title="Details">
      <Facts facts={[...Object.entries({ ...status, ...what, ...who, ...when }), ...copied]} />
    </Card>
  )
}

/** “Trace number” has a small letter within a sentence, “IMAD” has none. */
const inSentence = (name: string): string => name.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
