// Signs a terminal in: says which business, which permissions and which computer, and issues a key for it when that is confirmed.

import { getRouteApi } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Checkbox } from '../../components/ui/form.tsx'
import { causeway } from '../../session/client.ts'
import { may, type Session } from '../../session/session.ts'
import { type Asked, answerAddress, askedOf, pairingCode, refusalAddress } from './terminal.ts'

const route = getRouteApi('/business/cli-login')
const business = getRouteApi('/business')

const title = 'Authorize the command line'

const outcomes = {
  confirmed: ['Command line authorized', 'You can close this page and continue in the terminal.'],
  refused: ['Sign-in refused', 'No key was issued. You can close this page.'],
} as const

export function CliLoginPage() {
  const search = route.useSearch()
  const { session } = business.useRouteContext()
  if (search.outcome !== undefined) {
    const [heading, words] = outcomes[search.outcome]
    return (
      <Page title={heading}>
        <Card>
          <p className="text-soft">{words}</p>
        </Card>
      </Page>
    )
  }
  const asked = askedOf(search)
  if (asked === null)
    return (
      <Page title={title}>
        <Empty title="No sign-in request found" command="causeway login --browser">
          To sign in, run this command in your terminal:
        </Empty>
      </Page>
    )
  if (!may(session, 'api_keys:write'))
    return (
      <Page title={title}>
        <Empty title="Missing permission">
          The command line needs its own API key. To issue it, sign in with a key that has api_keys:write.
        </Empty>
      </Page>
    )
  return <Confirmation asked={asked} session={session} />
}

function Confirmation({ asked, session }: { asked: Asked; session: Session }) {
  const [scopes, setScopes] = useState<readonly string[]>(session.scopes)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    setError(null)
    try {
      const name = `Command line on ${asked.device}`
      const given = session.scopes.filter((scope) => scopes.includes(scope))
      const { key } = await causeway.apiKeys.issue({ name, scopes: given as Scopes })
      location.assign(await answerAddress(asked, key))
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Page title={title} intro="The command line on your computer requests access to this business.">
      <Card className="max-w-xl">
        <div className="grid gap-5">
          <div className="flex items-start gap-3">
            <SquareTerminal aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-soft" />
            <p className="min-w-0 break-words">
              <span className="font-semibold">{asked.device}</span> will get an API key for{' '}
              <span className="font-semibold">{session.name}</span>
              {session.mode === 'live' ? ' (live).' : ' in the sandbox.'}
            </p>
          </div>
          <div className="grid gap-1 rounded-lg bg-sunken p-4 text-center">
            <p className="text-soft">Authorize only if your terminal shows this code:</p>
            <p className="font-mono font-semibold text-2xl tracking-wider">{pairingCode(asked)}</p>
          </div>
          <ScopeChoice all={session.scopes} chosen={scopes} onChoose={setScopes} />
          {globalThis.isSecureContext ? null : (
            <p className="rounded-lg bg-warn-soft p-3">
              The browser encrypts the key for the terminal. This requires https or a console on this computer.
            </p>
          )}
          {error !== null && <Failure error={error} />}
          <div className="flex flex-wrap justify-end gap-2">
            <Button disabled={isBusy} onClick={() => location.assign(refusalAddress(asked))}>
              Deny
            </Button>
            <Button
              variant="primary"
              disabled={isBusy || scopes.length === 0 || !globalThis.isSecureContext}
              onClick={() => void confirm()}
            >
              Authorize
            </Button>
          </div>
        </div>
      </Card>
    </Page>
  )
}

type Scopes = NonNullable<Parameters<typeof causeway.apiKeys.issue>[0]>['scopes'] & {}

type ChoiceProps = { all: readonly string[]; chosen: readonly string[]; onChoose: (scopes: readonly string[]) => void }

function ScopeChoice({ all, chosen, onChoose }: ChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Scopes</legend>
      <div className="grid gap-1.5 sm:grid-cols-2">
        {all.map((scope) => (
          <Checkbox
            key={scope}
            label={<code className="font-mono text-xs">{scope}</code>}
            checked={chosen.includes(scope)}
            onChange={({ target }) =>
              onChoose(target.checked ? [...chosen, scope] : chosen.filter((other) => other !== scope))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
