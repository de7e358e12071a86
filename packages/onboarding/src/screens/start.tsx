// Before anything is asked: what is needed, and that nothing is kept.

import type { Opening } from '../client.ts'
import { Heading } from '../layout/layout.tsx'
import { useShared } from '../parts/context.ts'
import { OnPhone } from '../phone/on-phone.tsx'
import { fill } from '../texts/texts.ts'

type Props = { type: Opening['type']; hasStartedOver: boolean; onBegin: () => void }

export function StartScreen({ type, hasStartedOver, onBegin }: Props) {
  const {
    texts: { start },
    business,
  } = useShared()
  return (
    <>
      <Heading>{type === 'individual' ? start.heading : start.headingCompany}</Heading>
      {hasStartedOver && (
        <p role="status" className="notice">
          {start.startedOver}
        </p>
      )}
      <p>{fill(start.intro, { business })}</p>
      <h2>{start.ready}</h2>
      <ul>
        {type === 'business' && <li>{start.readyCompany}</li>}
        <li>{start.readyId}</li>
        <li>{start.readyTaxId}</li>
      </ul>
      <p className="soft">{start.notKept}</p>
      <div className="actions">
        <button type="button" className="primary" onClick={onBegin}>
          {start.begin}
        </button>
      </div>
      <OnPhone />
    </>
  )
}
