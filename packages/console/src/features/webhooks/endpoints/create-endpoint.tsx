// Creates an endpoint, and shows its signing secret once.

import type { WebhookEndpointWithSecret } from '@causeway/sdk'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useOpened } from '../../../components/dialogs/opened.ts'
import { SecretOnce } from '../../../components/dialogs/secret-once.tsx'
import { Skeleton } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { createEndpoint } from '../queries.ts'

const EndpointForm = lazy(() => import('./endpoint-form.tsx').then((file) => ({ default: file.EndpointForm })))

/** @param openedBy its name behind the `#` of the address */
export function CreateEndpoint({ openedBy }: { openedBy?: string }) {
  const [isOpen, setOpen] = useOpened(openedBy)
  const [made, setMade] = useState<WebhookEndpointWithSecret | null>(null)
  const navigate = useNavigate()
  const leave = () => {
    setOpen(false)
    if (made) void navigate({ to: '/webhooks/$id', params: { id: made.id }, ignoreBlocker: true })
  }
  return (
    <Dialog
      title={made ? 'Endpoint created' : 'Create endpoint'}
      description={
        made ? 'Your receiver checks each request with this secret.' : 'The endpoint receives events from now on.'
      }
      open={isOpen}
      // A secret that is shown once must not be lost by a click outside.
      onOpenChange={(next) => made === null && setOpen(next)}
      trigger={
        <Button variant="primary">
          <Plus /> Create endpoint
        </Button>
      }
    >
      {made ? (
        <>
          {made.warnings?.map(({ message }) => (
            <p key={message} className="rounded-lg border border-warn/40 bg-warn-soft p-3">
              {message}
            </p>
          ))}
          <SecretOnce name="signing secret" secret={made.signingSecret} onDone={leave} />
        </>
      ) : (
        <Suspense fallback={<Skeleton lines={8} />}>
          <EndpointForm
            action="Create endpoint"
            onSubmit={async (settings) => setMade(await createEndpoint(settings))}
          />
        </Suspense>
      )}
    </Dialog>
  )
}
