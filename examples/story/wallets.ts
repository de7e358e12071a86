// Addresses with a valid form and checksum. Nobody waits for money there.

export const SOLANA_WALLET = '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE'
export const EVM_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
