// Where a transaction is seen: the explorer of each blockchain. Checked against the server's table of rails by a test.

const explorers: Readonly<Record<string, string>> = {
  arbitrum: 'https://arbiscan.io/tx/',
  avalanche_c_chain: 'https://snowtrace.io/tx/',
  base: 'https://basescan.org/tx/',
  celo: 'https://celoscan.io/tx/',
  ethereum: 'https://etherscan.io/tx/',
  linea: 'https://lineascan.build/tx/',
  optimism: 'https://optimistic.etherscan.io/tx/',
  polygon: 'https://polygonscan.com/tx/',
  solana: 'https://explorer.solana.com/tx/',
  stellar: 'https://stellar.expert/explorer/public/tx/',
  tempo: 'https://explore.tempo.xyz/tx/',
  tron: 'https://tronscan.org/#/transaction/',
  xdc: 'https://xdcscan.com/tx/',
}

/** @returns undefined in the sandbox, which invents its hashes, and for a rail that the operator has added */
export function transactionUrl(mode: 'sandbox' | 'live', rail: string, hash: string): string | undefined {
  const address = mode === 'sandbox' ? undefined : explorers[rail]
  return address && address + encodeURIComponent(hash)
}
