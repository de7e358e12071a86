// A fault of the page itself: instead of a white page the way on, and whom to ask.

import { Component, type ReactNode } from 'react'
import { useShared } from '../parts/context.ts'
import { Reload } from '../screens/ends.tsx'
import { Heading } from './layout.tsx'

export class Boundary extends Component<{ children: ReactNode }, { hasCrashed: boolean }> {
  override state = { hasCrashed: false }

  static getDerivedStateFromError() {
    return { hasCrashed: true }
  }

  override render() {
    return this.state.hasCrashed ? <Crashed /> : this.props.children
  }
}

function Crashed() {
  const { texts } = useShared()
  return (
    <>
      <Heading>{texts.page.crashed}</Heading>
      <p role="alert">{texts.page.crashedIntro}</p>
      <Reload text={texts.page.reload} />
    </>
  )
}
