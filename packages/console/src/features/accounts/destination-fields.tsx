// The fields that name a wallet: chain, token, address or ID, and a memo where the chain has one.

import { ApiError, type Capabilities } from '@causeway/sdk'
import { Field, Input, Select, SelectField, TextField } from '../../components/ui/form.tsx'
import { railWords } from '../../subjects/wallet-address.tsx'

export type DestinationDraft = {
  payment_rail: string
  currency: string
  /** How the wallet is named: in the request the name of the field. */
  by: 'address' | 'bridge_wallet_id'
  wallet: string
  blockchain_memo: string
}

export const emptyDestination: DestinationDraft = {
  payment_rail: '',
  currency: '',
  by: 'address',
  wallet: '',
  blockchain_memo: '',
}

/** As it is sent. */
export function destinationOf({ blockchain_memo, by, wallet, ...draft }: DestinationDraft) {
  const memo = blockchain_memo.trim()
  return { ...draft, [by]: wallet.trim(), ...(memo !== '' && { blockchain_memo: memo }) }
}

/** The server's error for one field: its name in the request, or the end of the name. */
export function faultOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const detail = error.details.find(({ param }) => param === name || param.endsWith(`.${name}`))
  return detail?.message.replace(`${detail.param} `, 'This ')
}

/** Brings the first field at fault, or what was refused, into sight of who has scrolled down to the button. */
export function showFault(): void {
  requestAnimationFrame(() => {
    const fault = document.querySelector('[role="dialog"] :is([aria-invalid="true"], [role="alert"])')
    fault?.scrollIntoView({ block: 'center' })
  })
}

type Props = {
  chains: Capabilities['destination']
  draft: DestinationDraft
  onChange: (draft: DestinationDraft) => void
  error: unknown
}

const targets = [
  ['address', 'Wallet address'],
  ['bridge_wallet_id', 'Wallet at the provider'],
] as const

export function DestinationFields({ chains, draft, onChange, error }: Props) {
  const chain = chains.find(({ payment_rail }) => payment_rail === draft.payment_rail)
  const choose = (rail: string) => {
    const currencies = chains.find(({ payment_rail }) => payment_rail === rail)?.currencies ?? []
    const currency = currencies.includes(draft.currency) ? draft.currency : (currencies[0] ?? '')
    onChange({ ...draft, payment_rail: rail, currency, blockchain_memo: '' })
  }
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Blockchain" fault={faultOf(error, 'payment_rail')}>
          {(attributes) => (
            <Select {...attributes} required value={draft.payment_rail} onChange={({ target }) => choose(target.value)}>
              <option value="" disabled>
                Choose
              </option>
              {chains.map(({ payment_rail }) => (
                <option key={payment_rail} value={payment_rail}>
                  {railWords(payment_rail)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Token" fault={faultOf(error, 'destination.currency')}>
          {(attributes) => (
            <Select
              {...attributes}
              required
              disabled={chain === undefined}
              value={draft.currency}
              onChange={({ target }) => onChange({ ...draft, currency: target.value })}
            >
              {(chain?.currencies ?? []).map((currency) => (
                <option key={currency} value={currency}>
                  {currency.toUpperCase()}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <SelectField
        label="Payout to"
        options={targets}
        value={draft.by}
        onChange={(by) => onChange({ ...draft, by, wallet: '' })}
      />
      <Field
        label={draft.by === 'address' ? 'Wallet address' : 'Wallet ID'}
        hint={
          draft.by === 'address'
            ? 'We verify the address checksum before saving. Funds sent to a wrong address cannot be recovered.'
            : 'The wallet must be on this blockchain.'
        }
        fault={faultOf(error, draft.by)}
      >
        {(attributes) => (
          <Input
            {...attributes}
            required
            className="font-mono text-xs"
            autoComplete="off"
            spellCheck={false}
            value={draft.wallet}
            onChange={({ target }) => onChange({ ...draft, wallet: target.value })}
          />
        )}
      </Field>
      {chain?.memo === true && (
        <TextField
          label="Memo (optional)"
          hint="Most exchanges require a memo."
          fault={faultOf(error, 'blockchain_memo')}
          value={draft.blockchain_memo}
          onChange={(memo) => onChange({ ...draft, blockchain_memo: memo })}
        />
      )}
    </>
  )
}
