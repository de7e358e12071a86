// Currencies and chains that Bridge supports: fiat currencies with their deposit rails and endorsements, blockchains
// with their tokens.

import type { RailTable } from '../../platform/values/rails.ts'

// The provider publishes the currencies and the chains, but not the valid pairs. The pairs here are the tokens issued
// on each chain; for a refused pair, the provider returns its own error.
export const bridgeOffer: RailTable = {
  fiat: {
    usd: { depositRails: ['ach_push', 'wire', 'fednow'], minimumAmount: '1', endorsements: ['base'] },
    eur: { depositRails: ['sepa'], minimumAmount: '1', endorsements: ['sepa'] },
    mxn: { depositRails: ['spei'], minimumAmount: '50', endorsements: ['spei'] },
    brl: { depositRails: ['pix'], minimumAmount: '10', endorsements: ['pix', 'pix_onramp'] },
    gbp: { depositRails: ['faster_payments'], minimumAmount: '3', endorsements: ['faster_payments'] },
    cop: { depositRails: ['bre_b'], minimumAmount: '100', endorsements: ['cop'] },
  },
  chains: {
    arbitrum: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdt', 'pyusd'] },
    avalanche_c_chain: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdt', 'eurc'] },
    base: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdb', 'eurc'] },
    celo: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdt'] },
    ethereum: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdt', 'usdb', 'pyusd', 'eurc'] },
    linea: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdl_linea'] },
    optimism: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdt'] },
    polygon: { addressFamily: 'evm', memo: false, currencies: ['usdc', 'usdt'] },
    solana: { addressFamily: 'solana', memo: false, currencies: ['usdc', 'usdt', 'usdb', 'pyusd', 'eurc'] },
    stellar: { addressFamily: 'stellar', memo: true, currencies: ['usdc', 'pyusd', 'eurc'] },
    tempo: { addressFamily: 'evm', memo: true, currencies: ['usdc', 'usdb'] },
    tron: { addressFamily: 'tron', memo: true, currencies: ['usdt'] },
    xdc: { addressFamily: 'xdc', memo: false, currencies: ['usdc'] },
  },
}
