// How far the end-user has come: a bar, and on a desktop the stages by name.

import { createPortal } from 'react-dom'
import { useShared } from '../parts/context.ts'
import { fill } from '../texts/texts.ts'
import type { Progress as Shown } from './stages.ts'

/** Shown next to the heading of the page, at the place that `Layout` provides. */
export function Progress({ stages, now, part }: Shown) {
  const { texts, progressPlace } = useShared()
  if (progressPlace === null) return null
  const name = texts.stage[stages[now] ?? 'review']
  return createPortal(
    <>
      <p className="soft step">{fill(texts.page.steps, { now: now + 1, all: stages.length, name })}</p>
      <progress aria-label={texts.page.progress} value={(now + part) / stages.length} />
      <ol className="stages">
        {stages.map((stage, index) => (
          <li key={stage} aria-current={index === now ? 'step' : undefined} data-done={index < now}>
            {texts.stage[stage]}
          </li>
        ))}
      </ol>
    </>,
    progressPlace,
  )
}
