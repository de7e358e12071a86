// `mountOnboarding` as a component of React.

import type { MountOnboardingOptions } from '@causeway/sdk/onboarding'
import { mountOnboarding } from '@causeway/sdk/onboarding'
import { useEffect, useRef } from 'react'

export function Onboarding(options: MountOnboardingOptions) {
  const { url, title = 'Verification' } = options
  const place = useRef<HTMLDivElement>(null)
  // A render with other functions keeps the frame, and what was typed.
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  useEffect(() => {
    if (place.current === null) return
    const mounted = mountOnboarding(place.current, {
      url,
      title,
      onState: (state) => latest.current.onState?.(state),
      onDone: () => latest.current.onDone?.(),
    })
    return () => mounted.unmount()
  }, [url, title])
  return <div ref={place} />
}
