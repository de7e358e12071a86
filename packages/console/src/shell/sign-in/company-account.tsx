// Signing in with the account of one's company: the browser goes to the identity provider, which leads back.

import { type FormEvent, useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { TextField } from '../../components/ui/form.tsx'
import { businessKey, goToIssuer } from '../../session/session.ts'

/** The business that a staff member of this browser last signed in to. */
export const knownBusiness = (): string => localStorage.getItem(businessKey) ?? ''

const words = 'Sign in with your company account'

export function AtBusiness({ known, next }: { known: string; next: string | undefined }) {
  const [business, setBusiness] = useState(known)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    goToIssuer({ owner: business.trim(), next })
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <TextField
        label="Business ID"
        hint="Starts with biz_. Ask your administrator for the sign-in link."
        spellCheck={false}
        required
        maxLength={64}
        value={business}
        onChange={setBusiness}
      />
      <Button type="submit" variant={known === '' ? 'outline' : 'primary'}>
        {words}
      </Button>
    </form>
  )
}

export function AtOperator({ next }: { next: string | undefined }) {
  return (
    <Button variant="primary" onClick={() => goToIssuer({ owner: 'operator', next: next ?? '/operator' })}>
      {words}
    </Button>
  )
}
