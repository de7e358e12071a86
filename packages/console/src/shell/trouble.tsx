// Pages for when there is no page: an error while one was made, an address that leads nowhere, a page on its way.

import { ApiError } from '@causeway/sdk'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Page } from '../components/page.tsx'
import { Failure, Skeleton } from '../components/states.tsx'
import { Button } from '../components/ui/button.tsx'
import { PageNotLoaded } from './lazy-page.ts'

export function TroublePage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  if (error instanceof PageNotLoaded)
    return (
      <Page title="This page could not be loaded">
        <p>The connection was lost, or a new version is available.</p>
        <div className="flex gap-2">
          <Button variant="primary" onClick={() => void router.invalidate()}>
            Try again
          </Button>
          <Button onClick={() => location.reload()}>Reload</Button>
        </div>
      </Page>
    )
  const isAbsent = error instanceof ApiError && error.status === 404
  return (
    <Page title={isAbsent ? 'Not found' : 'This page could not be displayed'}>
      <Failure error={error} onRetry={reset} />
    </Page>
  )
}

export function NowherePage() {
  return (
    <Page title="Page not found" intro="Check the URL, or search for what you need.">
      <p>
        <Link to="/" className="text-accent underline">
          Go to Home
        </Link>
      </p>
    </Page>
  )
}

export function PendingPage() {
  return (
    <div className="mx-auto w-full max-w-6xl p-6">
      <Skeleton lines={6} />
    </div>
  )
}
