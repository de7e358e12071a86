// The staff member who is signed in: name, roles, and the ways out.

import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, LogOut } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Confirm } from '../../components/dialogs/confirm.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/menu.tsx'
import { businessKey, type Session, type Staff, signOut, signOutEverywhere } from '../../session/session.ts'

export function AccountMenu({ session: { customerId }, staff }: { session: Session; staff: Staff }) {
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  useEffect(() => {
    if (customerId !== null) localStorage.setItem(businessKey, customerId)
  }, [customerId])
  const { name, email, roles } = staff
  const who = name ?? email ?? 'Staff member'
  const leave = () => navigate({ to: '/sign-in' })
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button
            variant="ghost"
            size="sm"
            className="mb-1 h-auto w-full justify-start py-1.5 text-left"
            aria-label={`Account of ${who}`}
          >
            <span className="grid min-w-0 flex-1">
              <span className="truncate text-ink">{who}</span>
              <span className="truncate font-normal">{rolesWords(roles)}</span>
            </span>
            <ChevronDown />
          </Button>
        }
      >
        <div className="grid max-w-64 gap-0.5 px-2.5 py-1.5">
          <p className="break-words font-medium">{who}</p>
          {email !== null && email !== who && <p className="break-all text-soft text-xs">{email}</p>}
          <p className="text-soft text-xs">{rolesWords(roles)}</p>
        </div>
        <MenuSeparator />
        <MenuItem onSelect={() => void signOut().then(leave)}>
          <LogOut /> Sign out
        </MenuItem>
        <MenuItem onSelect={() => setAsking(true)}>
          <LogOut /> Sign out everywhere…
        </MenuItem>
      </Menu>
      <Confirm
        title="Sign out everywhere?"
        action="Sign out everywhere"
        open={isAsking}
        onOpenChange={setAsking}
        onConfirm={async () => {
          const endSessionUrl = await signOutEverywhere()
          if (endSessionUrl === null) await leave()
          else location.assign(endSessionUrl)
        }}
      >
        Ends your Causeway sessions in all browsers, and signs you out of your company account if it allows that.
      </Confirm>
    </>
  )
}

/** “Role: support”. */
const rolesWords = (roles: readonly string[]): string => `${roles.length === 1 ? 'Role' : 'Roles'}: ${roles.join(', ')}`
