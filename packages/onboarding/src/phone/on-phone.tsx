// The way from a computer to the phone: the same link, opened there. The server ends this page then, and nothing goes along.

import { useState } from 'react'
import { useShared } from '../parts/context.ts'
import type { Code } from './phone-code.ts'

const isComputer = (): boolean => matchMedia('(pointer: fine)').matches

/** @param loses whether something was typed here */
export function OnPhone({ loses = false }: { loses?: boolean }) {
  const { texts, onPhoneOffered } = useShared()
  const [code, setCode] = useState<Code | null>(null)
  const [hasFailed, setFailed] = useState(false)
  if (!isComputer()) return null
  const show = async (): Promise<void> => {
    const { origin, pathname, hash } = location
    const found = await import('./phone-code.ts').catch(() => null)
    setFailed(found === null)
    if (found === null) return
    setCode(found.codeOf(`${origin}${pathname}${hash}`))
    onPhoneOffered()
  }
  return (
    <div className="on-phone">
      <button
        type="button"
        className="quiet"
        aria-expanded={code !== null}
        onClick={() => (code === null ? void show() : setCode(null))}
      >
        {code === null ? texts.phone.offer : texts.phone.hide}
      </button>
      {hasFailed && (
        <p className="problem" role="alert">
          {texts.page.failed}
        </p>
      )}
      {code && (
        <div className="notice">
          <p>{texts.phone.scan}</p>
          {loses && <p>{texts.phone.lost}</p>}
          <svg className="code" role="img" aria-label={texts.phone.code} viewBox={code.viewBox}>
            <path d={code.path} />
          </svg>
        </div>
      )}
    </div>
  )
}
