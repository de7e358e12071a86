// Rotates the signing secret, shown once. The old one also signs for a time, so that receivers can switch.

import { useState } from 'react'
import { SecretDialog } from '../../../components/dialogs/secret-dialog.tsx'
import { SelectField } from '../../../components/ui/form.tsx'
import { rotateSecret } from '../queries.ts'

const overlaps: readonly (readonly [hours: number, words: string])[] = [
  [24, '24 hours'],
  [1, '1 hour'],
  [72, '3 days'],
  [168, '7 days'],
  [0, 'Do not keep it (expire now)'],
]

export function RotateSecret({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [hours, setHours] = useState(24)
  return (
    <SecretDialog
      title="Rotate signing secret"
      name="signing secret"
      action="Rotate secret"
      onMake={() => rotateSecret(endpointId, hours)}
      onClose={onClose}
    >
      <SelectField
        label="Keep the old secret valid for"
        hint="Until then, each request carries both signatures. Store the new secret in your receiver before the old one expires."
        options={overlaps}
        value={hours}
        onChange={setHours}
      />
    </SecretDialog>
  )
}
