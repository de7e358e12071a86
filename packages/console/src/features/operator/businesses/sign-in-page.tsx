// The staff sign-in of a business.

import { getRouteApi } from '@tanstack/react-router'
import { mayOperate } from '../../../session/session.ts'
import { SignInCard } from '../../../subjects/staff/sign-in-card.tsx'
import { BusinessFrame } from './frame.tsx'

const route = getRouteApi('/operator/businesses/$customerId/sign-in')

export function BusinessSignInPage() {
  const { customerId } = route.useParams()
  const mayWrite = mayOperate(route.useRouteContext().session)
  return (
    <BusinessFrame customerId={customerId} title="Staff sign-in">
      {({ id }) => <SignInCard owner={id} customerId={id} mayWrite={mayWrite} />}
    </BusinessFrame>
  )
}
