// Names an end-user by the own identifier, and offers those that begin like what is typed.

import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { TextField } from '../../components/ui/form.tsx'
import { endUsersLikeQuery } from './queries.ts'

type Props = { label: string; hint?: string; required?: boolean; value: string; onChange: (value: string) => void }

export function EndUserField({ value, ...props }: Props) {
  const { data: found = [] } = useQuery(endUsersLikeQuery(value.trim()))
  const listId = useId()
  return (
    <div>
      <TextField {...props} list={listId} maxLength={128} spellCheck={false} value={value} />
      <datalist id={listId}>
        {found.map(({ externalUserId, email }) => (
          <option key={externalUserId} value={externalUserId} label={email ?? externalUserId} />
        ))}
      </datalist>
    </div>
  )
}
