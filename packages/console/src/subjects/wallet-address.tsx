// The address of a wallet, formatted for comparison: in groups of four, the ends in bold. The letters are unchanged,
// because their case may be the checksum. Selected or copied text has no spaces.

import { CopyButton } from '../components/copy-button.tsx'

export function WalletAddress({ address, hasCopy = true }: { address: string; hasCopy?: boolean }) {
  const prefix = /^(?:0x|xdc)/.exec(address)?.[0] ?? ''
  const groups = address.slice(prefix.length).match(/.{1,4}/gsu) ?? []
  return (
    <span className="inline-flex max-w-full items-start gap-1">
      <code className="inline-flex min-w-0 flex-wrap gap-x-1.5 font-mono text-[13px] leading-6" data-address={address}>
        {prefix !== '' && <span className="text-soft">{prefix}</span>}
        {groups.map((group, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: equal groups differ by their place
            key={at}
            className={at === 0 || at === groups.length - 1 ? 'font-semibold' : 'text-soft'}
          >
            {group}
          </span>
        ))}
      </code>
      {hasCopy && <CopyButton text={address} name="the address" />}
    </span>
  )
}

/** A shortened address for lists; the title has the full one. */
export function ShortAddress({ address }: { address: string }) {
  const short = address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`
  return (
    <code className="font-mono text-xs" title={address}>
      {short}
    </code>
  )
}

/** The name of a blockchain or rail, as people write it: `avalanche_c_chain` is “Avalanche C Chain”. */
export const railWords = (rail: string): string =>
  rail.replace(/(^|_)(\w)/g, (_, gap: string, letter: string) => (gap ? ' ' : '') + letter.toUpperCase())

type Target = { address?: string; bridge_wallet_id?: string; prefunded_account_id?: string }

/** The address of a destination, or the ID in its place. */
export const targetText = ({ address, bridge_wallet_id, prefunded_account_id }: Target): string =>
  address ?? bridge_wallet_id ?? prefunded_account_id ?? ''
