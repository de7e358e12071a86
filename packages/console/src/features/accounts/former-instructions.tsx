// Bank details that an account had before: payers keep old numbers, and their money has to be found.

import { useQuery } from '@tanstack/react-query'
import { Time } from '../../components/time.tsx'
import { Card } from '../../components/ui/card.tsx'
import { RailDetails } from './instructions.tsx'
import { instructionsQuery } from './queries.ts'

export function FormerInstructions({ id }: { id: string }) {
  const { data } = useQuery(instructionsQuery(id))
  const former = data?.previousInstructions ?? []
  if (former.length === 0) return null
  return (
    <Card title="Previous bank details">
      <p className="mb-3 text-soft">
        The provider replaced these bank details. Send the new ones to payers who still use them.
      </p>
      {former.map(({ validFrom, validUntil, instructions }) => (
        <details key={validUntil} className="border-line border-t py-2">
          <summary className="cursor-pointer">
            <Time at={validFrom} /> to <Time at={validUntil} />
          </summary>
          {instructions.map((rail) => (
            <div key={rail.rail} className="mt-3">
              <h3 className="font-semibold">{rail.railName}</h3>
              <RailDetails rail={rail} />
            </div>
          ))}
        </details>
      ))}
    </Card>
  )
}
