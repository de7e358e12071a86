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
  const isCompany = type === 'business'
  const ready = isCompany ? [start.readyCompany, start.readyPeople] : [start.readyId, start.readyTaxId]
  return (
    <>
      <Heading>{isCompany ? start.headingCompany : start.heading}</Heading>
      {hasStartedOver && (
        <p role="status" className="notice">
          {start.startedOver}
        </p>
      )}
      <p>{fill(isCompany ? start.introCompany : start.intro, { business })}</p>
      <h2>{start.ready}</h2>
      <ul>
        {ready.map((text) => (
          <li key={text}>{text}</li>
        ))}
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
