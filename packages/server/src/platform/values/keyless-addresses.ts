// Owns the addresses that look like wallets and are none: nobody gets back what is sent there.
//
// Sources, compared with public code in November 2026:
// - usdc, eurc: developers.circle.com/stablecoins/{usdc,eurc}-contract-addresses; the versions carried over from Ethereum: the chains' token lists.
// - usdt: tether.to "Supported protocols", usdt0.to; pyusd, usdl: the contract repositories of Paxos (github.com/paxosglobal).
// - usdb: the balances of wallets in the provider's examples. The provider publishes no contract on another chain than
//   Solana, and no contract of usdl_linea.
// - Precompiles: EIP-1352 (0x0 to 0xffff), Avalanche subnet-evm `reservedRanges`, OP stack predeploys, Tempo TIP-20.
// - Solana: `solana-sdk-ids`, the SPL programs, Metaplex. Tron: the genesis block. Stellar: SEP-23, the key of zeros.
// A contract's address is a hash, so an EVM contract is refused on every EVM chain and on XDC.

import type { AddressFamily } from './rails.ts'

type KeylessFamily = Exclude<AddressFamily, 'xdc'>

/** Coin → the chain of the rails table, or a version that is not the one of the table → the address. */
type CoinAddresses = Readonly<Record<string, Readonly<Record<string, string>>>>

export const coinAddresses: Readonly<Record<KeylessFamily, CoinAddresses>> = {
  evm: {
    usdc: {
      ethereum: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      arbitrum: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      arbitrum_from_ethereum: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
      avalanche_c_chain: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
      avalanche_c_chain_from_ethereum: '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664',
      base: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      base_from_ethereum: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
      celo: '0xcebA9300f2b948710d2653dD7B07f33A8B32118C',
      linea: '0x176211869cA2b568f2A7D4EE941E073a821EE1ff',
      optimism: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
      optimism_from_ethereum: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607',
      polygon: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      polygon_from_ethereum: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
      tempo: '0x20C000000000000000000000b9537d11c60E8b50',
      xdc: '0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1',
    },
    usdt: {
      ethereum: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      arbitrum: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
      avalanche_c_chain: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
      celo: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e',
      optimism: '0x01bFF41798a0BcF287b996046Ca68b395DbC1071',
      optimism_from_ethereum: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
      polygon: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    },
    eurc: {
      ethereum: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
      avalanche_c_chain: '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD',
      base: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
    },
    pyusd: {
      ethereum: '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8',
      arbitrum: '0x46850aD61C2B7d64d08c9C754F45254596696984',
    },
    usdl: {
      ethereum: '0xbdC7c08592Ee4aa51D06C27Ee23D5087D65aDbcD',
      arbitrum: '0x7f850b0ab1988dd17b69ac564c1e2857949e4dee',
    },
  },
  solana: {
    usdc: { solana: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
    usdt: { solana: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' },
    eurc: { solana: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr' },
    pyusd: { solana: '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo' },
    usdb: { solana: 'ENL66PGy8d8j5KNqLtCcg4uidDUac5ibt45wbjH9REzB' },
  },
  stellar: {
    usdc: { stellar: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN' },
    eurc: { stellar: 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2' },
    pyusd: { stellar: 'GDQE7IXJ4HUHV6RQHIUPRJSEZE4DRS5WY577O2FY6YQ5LVWZ7JZTU2V5' },
  },
  tron: {
    usdt: { tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
    usdc: { tron: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8' },
  },
}

/** Kind of address, other than a coin → the addresses. */
export const systemAddresses: Readonly<Record<KeylessFamily, Readonly<Record<string, readonly string[]>>>> = {
  evm: {
    'a burn address': [
      '0x000000000000000000000000000000000000dEaD',
      '0xdead000000000000000042069420694206942069',
      '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
      '0xffffffffffffffffffffffffffffffffffffffff',
    ],
    'the address by which contracts name the coin of the chain': ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'],
    'a system address of the chain': [
      '0xfffffffffffffffffffffffffffffffffffffffe',
      '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
    ],
  },
  solana: {
    'the mint of wrapped SOL': ['So11111111111111111111111111111111111111112'],
    'a burn address': ['1nc1nerator11111111111111111111111111111111'],
    'a program': [
      'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
      'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
      'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
      'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
      'AddressLookupTab1e1111111111111111111111111',
      'BPFLoader1111111111111111111111111111111111',
      'BPFLoader2111111111111111111111111111111111',
      'BPFLoaderUpgradeab1e11111111111111111111111',
      'ComputeBudget111111111111111111111111111111',
      'Config1111111111111111111111111111111111111',
      'Ed25519SigVerify111111111111111111111111111',
      'Feature111111111111111111111111111111111111',
      'KeccakSecp256k11111111111111111111111111111',
      'LoaderV411111111111111111111111111111111111',
      'NativeLoader1111111111111111111111111111111',
      'Secp256r1SigVerify1111111111111111111111111',
      'Stake11111111111111111111111111111111111111',
      'Vote111111111111111111111111111111111111111',
    ],
    'a sysvar of the chain': [
      'StakeConfig11111111111111111111111111111111',
      'Sysvar1111111111111111111111111111111111111',
      'Sysvar1nstructions1111111111111111111111111',
      'SysvarC1ock11111111111111111111111111111111',
      'SysvarEpochSchedu1e111111111111111111111111',
      'SysvarFees111111111111111111111111111111111',
      'SysvarRecentB1ockHashes11111111111111111111',
      'SysvarRent111111111111111111111111111111111',
      'SysvarS1otHashes111111111111111111111111111',
      'SysvarS1otHistory11111111111111111111111111',
      'SysvarStakeHistory1111111111111111111111111',
    ],
  },
  stellar: {
    'a burn address': ['GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'],
  },
  tron: {
    'a burn address': ['TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
  },
}

/** EVM addresses that a chain keeps for itself: the digits after `0x`, lower case. The burn addresses above are among them. */
export const reservedEvmDigits: readonly { digits: RegExp; what: string }[] = [
  { digits: /^0{36}/, what: 'a precompile' },
  { digits: /^0[123]0{36}/, what: 'a precompile' },
  { digits: /^420{35}[0-7]/, what: 'a contract of the chain' },
  { digits: /^20c0{21}/, what: 'the contract of a coin' },
]
