// The staff sign-in of a business: its settings, the addresses to register at the identity provider, and their change.

import type { StaffSignIn } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Copyable } from '../../components/copy-button.tsx'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { Facts } from '../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import type { Owner } from '../logs/owner.ts'
import { removeSignIn, setSignIn, signInQuery } from './sign-in-queries.ts'

const SignInForm = lazy(() => import('./sign-in-form.tsx').then((file) => ({ default: file.SignInForm })))

type Props = { owner: Owner; customerId: string; mayWrite: boolean }

export function SignInCard({ owner, customerId, mayWrite }: Props) {
  const { data: signIn, error, refetch } = useQuery(signInQuery(owner))
  const change = (trigger: ReactNode) => (
    <Change owner={owner} customerId={customerId} signIn={signIn ?? null} trigger={trigger} />
  )
  return (
    <Card
      title="Staff sign-in"
      actions={
        signIn &&
        mayWrite && (
          <>
            {change(<Button size="sm">Edit</Button>)}
            <Remove owner={owner} />
          </>
        )
      }
    >
      {signIn === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {signIn === undefined && error === null && <Skeleton lines={5} />}
      {signIn === null && (
        <Empty
          title="Staff sign-in is not set up"
          action={mayWrite && change(<Button variant="primary">Set up staff sign-in</Button>)}
        >
          {mayWrite
            ? 'Connect an OpenID Connect identity provider. Staff then sign in with their company accounts.'
            : 'An administrator with every scope can connect an OpenID Connect identity provider.'}
        </Empty>
      )}
      {signIn && <Shown signIn={signIn} />}
    </Card>
  )
}

function Shown({ signIn }: { signIn: StaffSignIn }) {
  const { issuer, clientId, hasClientSecret, roles, scope, updatedAt } = signIn
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Facts
        facts={[
          [
            'Issuer',
            <span key="issuer" className="break-all">
              {issuer}
            </span>,
          ],
          [
            'Client ID',
            <span key="client" className="break-all">
              {clientId}
            </span>,
          ],
          ['Client secret', hasClientSecret ? 'Stored' : 'None (public client)'],
          ['Scopes', scope],
          [
            'Role claim',
            <code key="claim" className="break-all font-mono text-xs">
              {roles.claim}
            </code>,
          ],
          [
            'Role mapping',
            <ul key="roles" className="grid gap-0.5">
              {Object.entries(roles.values).map(([value, role]) => (
                <li key={value}>
                  <code className="break-all font-mono text-xs">{value}</code> → {role}
                </li>
              ))}
            </ul>,
          ],
          ['Updated', <TimeAgo key="updated" at={updatedAt} />],
        ]}
      />
      <div className="grid content-start gap-4">
        <Address name="Sign-in link" about="Send this link to your staff." text={signIn.signInUrl} />
        <p className="text-soft text-xs">Register these three addresses at your identity provider:</p>
        <Address name="Redirect URI" text={signIn.redirectUri} />
        <Address name="Back-channel logout URI" text={signIn.backchannelLogoutUri} />
        <Address name="Post-logout redirect URI" text={signIn.postLogoutRedirectUri} />
      </div>
    </div>
  )
}

function Address({ name, about, text }: { name: string; about?: string; text: string }) {
  return (
    <div className="grid gap-0.5">
      <p className="font-medium">{name}</p>
      {about !== undefined && <p className="text-soft text-xs">{about}</p>}
      <Copyable text={text} name={`the ${name.charAt(0).toLowerCase()}${name.slice(1)}`} />
    </div>
  )
}

type ChangeProps = { owner: Owner; customerId: string; signIn: StaffSignIn | null; trigger: ReactNode }

function Change({ owner, customerId, signIn, trigger }: ChangeProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Dialog
      title={signIn === null ? 'Set up staff sign-in' : 'Edit staff sign-in'}
      description="Causeway checks the OpenID Connect configuration of the issuer before saving."
      trigger={trigger}
      open={isOpen}
      onOpenChange={setOpen}
    >
      <Suspense fallback={<Skeleton lines={8} />}>
        <SignInForm
          signIn={signIn}
          // The server names the address once the sign-in is set.
          redirectUri={signIn?.redirectUri ?? `${location.origin}/console/sign-in/callback/${customerId}`}
          onSubmit={async (body) => {
            await setSignIn(owner, body)
            setOpen(false)
            toast.success('Staff sign-in saved.')
          }}
        />
      </Suspense>
    </Dialog>
  )
}

function Remove({ owner }: { owner: Owner }) {
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="danger">
          Remove
        </Button>
      }
      title="Remove staff sign-in?"
      action="Remove staff sign-in"
      isDangerous
      onConfirm={async () => {
        await removeSignIn(owner)
        toast.success('Staff sign-in removed.')
      }}
    >
      All staff who signed in with a company account are signed out, and cannot sign in again. API keys and console
      links still work. If you signed in with a company account, you are signed out too.
    </Confirm>
  )
}
