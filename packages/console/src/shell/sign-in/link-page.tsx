// Opens a one-time link. Its code comes after the `#`, and is removed from the URL before anything else happens.

import { useEffect, useRef } from 'react'
import { Failure, Skeleton } from '../../components/states.tsx'
import { Frame, useSignIn } from './frame.tsx'

export function LinkPage() {
  const { enter, error } = useSignIn()
  const isBegun = useRef(false)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    const code = location.hash.slice(1)
    history.replaceState(history.state, '', location.pathname)
    void enter({ code })
  })
  return (
    <Frame title={error === null ? 'Opening the link' : 'This link cannot be opened'}>
      {error === null ? (
        <Skeleton lines={2} />
      ) : (
        <>
          <Failure error={error} />
          <p className="text-soft">Each link works once. Ask the sender for a new link.</p>
        </>
      )}
    </Frame>
  )
}
