// A photo or a paper: taken by the camera or chosen as a file, shown, and judged before it is sent.

import { type ChangeEvent, useId, useState } from 'react'
import type { Paper } from '../form/question.ts'
import { isPaper } from '../form/question.ts'
import { Camera } from '../photo/camera.tsx'
import { bytesMax, type Flaw, judgePaper, pixelsMin, type Wrong } from '../photo/image.ts'
import { fill } from '../texts/texts.ts'
import { useTexts } from './context.ts'
import { type FieldProps, GroupField, useLabel } from './field.tsx'

const canUseCamera = (): boolean => navigator.mediaDevices?.getUserMedia !== undefined

/** A picture in which something may not be readable: the end-user looks, and decides. */
type Doubt = { paper: Paper; flaw: Flaw }

export function PhotoField({ question, answers, problem, onAnswer }: FieldProps) {
  const texts = useTexts()
  const label = useLabel(question)
  const inputId = useId()
  const [isShooting, setShooting] = useState(false)
  const [doubt, setDoubt] = useState<Doubt | null>(null)
  const [wrong, setWrong] = useState<Wrong | null>(null)
  const answer = answers[question.path]
  const take = async (source: Blob, name: string): Promise<void> => {
    setShooting(false)
    setDoubt(null)
    setWrong(null)
    const { paper, flaw, wrong } = await judgePaper(source, name)
    if (paper === null) setWrong(wrong)
    else if (flaw === null) onAnswer(paper)
    else {
      onAnswer(undefined) // what is shown is not what was taken before
      setDoubt({ paper, flaw })
    }
  }
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>): void => {
    const file = currentTarget.files?.[0]
    currentTarget.value = '' // the same file can be chosen again
    if (file) void take(file, file.name)
  }
  const keep = (): void => {
    if (doubt) onAnswer(doubt.paper)
    setDoubt(null)
  }
  const shown = doubt?.paper ?? (isPaper(answer) ? answer : null)
  const numbers = { pixels: pixelsMin, megabytes: bytesMax / 1024 / 1024 }
  const told = doubt ? texts.photo[doubt.flaw] : wrong ? fill(texts.photo[wrong], numbers) : problem
  return (
    <GroupField question={question} problem={told}>
      {shown && <Preview paper={shown} />}
      {doubt && (
        <button type="button" className="quiet" onClick={keep}>
          {texts.photo.keep}
        </button>
      )}
      {isShooting ? (
        <Camera label={label} onShot={(shot) => void take(shot, 'camera.jpg')} onClose={() => setShooting(false)} />
      ) : (
        <div className="pair">
          {canUseCamera() && (
            <button type="button" className="secondary" onClick={() => setShooting(true)}>
              {shown ? texts.photo.again : texts.photo.take}
            </button>
          )}
          <label className="secondary" htmlFor={inputId}>
            <input
              id={inputId}
              className="unseen"
              type="file"
              accept="image/*,application/pdf"
              aria-label={`${label}: ${texts.photo.upload}`}
              onChange={choose}
            />
            {texts.photo.upload}
          </label>
        </div>
      )}
    </GroupField>
  )
}

export function Preview({ paper }: { paper: Paper }) {
  const texts = useTexts()
  // Only what the browser has drawn itself is shown; a PDF is named.
  if (paper.type === 'image/jpeg') return <img className="preview" src={paper.uri} alt={texts.photo.preview} />
  return <p className="paper">{paper.name}</p>
}
