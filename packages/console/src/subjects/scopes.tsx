// Scopes as people read them, and as they are chosen.

import type { ApiKeyScope } from '@causeway/sdk'
import type { Column } from '../components/data-table.tsx'
import { Checkbox } from '../components/ui/form.tsx'

const resources = [
  ['end_users', 'End-users', 'Onboarding, terms, KYC'],
  ['virtual_accounts', 'Accounts', 'Virtual accounts and deposits'],
  ['webhooks', 'Webhooks', 'Endpoints and deliveries'],
  ['events', 'Events', 'Event stream and replays'],
  ['api_keys', 'API keys', 'Keys, links, requests, audit log'],
] as const

const rights = ['read', 'write'] as const

export const scopesMax = resources.length * rights.length

/** In the order in which they are shown. */
export const allScopes: readonly ApiKeyScope[] = resources.flatMap(([name]) =>
  rights.map((right): ApiKeyScope => `${name}:${right}`),
)

/** “Full access”, “Read-only access”, or each resource with what is allowed. */
export function scopeWords(scopes: readonly string[]): string {
  if (scopes.length >= scopesMax) return 'Full access'
  if (scopes.length === resources.length && scopes.every((scope) => scope.endsWith(':read'))) return 'Read-only access'
  return resources
    .flatMap(([name, label]) => {
      const [mayRead, mayWrite] = rights.map((right) => scopes.includes(`${name}:${right}`))
      if (mayWrite) return [`${label}${mayRead ? '' : ' (write only)'}`]
      return mayRead ? [`${label} (read)`] : []
    })
    .join(', ')
}

/** For a list of keys or links. */
export const scopesColumn: Column<{ scopes: readonly string[] }> = {
  id: 'scopes',
  header: 'Scopes',
  cell: ({ scopes }) => (
    <span className="line-clamp-2" title={scopes.join(', ')}>
      {scopeWords(scopes)}
    </span>
  ),
  className: 'lg:max-w-64',
}

type Props = {
  /** The scopes that the session may grant. */
  offered: readonly string[]
  chosen: readonly ApiKeyScope[]
  onChange: (scopes: ApiKeyScope[]) => void
}

/** A row for each resource. Scopes that the session has not are not offered: the server would refuse them. */
export function ScopePicker({ offered, chosen, onChange }: Props) {
  const toggle = (scope: ApiKeyScope, isOn: boolean) =>
    onChange(allScopes.filter((one) => (one === scope ? isOn : chosen.includes(one))))
  const presets: readonly (readonly [string, ApiKeyScope[]])[] = [
    ['All', allScopes.filter((scope) => offered.includes(scope))],
    ['Read only', allScopes.filter((scope) => offered.includes(scope) && scope.endsWith(':read'))],
    ['None', []],
  ]
  return (
    <fieldset className="grid gap-2">
      <legend className="contents">
        <span className="font-medium">Scopes</span>
      </legend>
      <div className="flex gap-3 text-xs">
        {presets.map(([words, scopes]) => (
          <button key={words} type="button" className="text-accent underline" onClick={() => onChange(scopes)}>
            {words}
          </button>
        ))}
      </div>
      <div className="grid rounded-md border border-line">
        {resources.map(([name, label, about]) => (
          <div
            key={name}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b px-3 py-2 last:border-0"
          >
            <div className="min-w-0 flex-1 basis-40">
              <p>{label}</p>
              <p className="text-soft text-xs">{about}</p>
            </div>
            {rights.map((right) => {
              const scope: ApiKeyScope = `${name}:${right}`
              return (
                <Checkbox
                  key={scope}
                  className="w-16"
                  label={right === 'read' ? 'Read' : 'Write'}
                  aria-label={`${label}: ${right}`}
                  checked={chosen.includes(scope)}
                  disabled={!offered.includes(scope)}
                  onChange={(event) => toggle(scope, event.target.checked)}
                />
              )
            })}
          </div>
        ))}
      </div>
    </fieldset>
  )
}
