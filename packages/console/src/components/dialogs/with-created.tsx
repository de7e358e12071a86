// The choice, in the dialog that revokes a credential, to revoke everything that was created with it.

import { Checkbox } from '../ui/form.tsx'

export function WithCreated({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <Checkbox
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
      label="Also revoke everything created with it: API keys, console links and onboarding links"
    />
  )
}
