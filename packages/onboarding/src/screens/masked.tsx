// A number of a tax authority or of a document, of which a screen that others can see shows the end alone.

import { useState } from 'react'
import { useTexts } from '../parts/context.ts'
import { fill } from '../texts/texts.ts'

/** @param label of the number, for the name of the button */
export function Masked({ text, label }: { text: string; label: string }) {
  const { page } = useTexts()
  const [isShown, setShown] = useState(false)
  // Half of a short number at most.
  const end = text.slice(-Math.min(4, Math.floor(text.length / 2)))
  const word = isShown ? page.hide : page.show
  return (
    <>
      {isShown ? (
        text
      ) : (
        <>
          <span aria-hidden="true">•••• {end}</span>
          <span className="unseen">{fill(page.endsWith, { end })}</span>
        </>
      )}{' '}
      <button type="button" className="quiet small" aria-label={`${word}: ${label}`} onClick={() => setShown(!isShown)}>
        {word}
      </button>
    </>
  )
}
