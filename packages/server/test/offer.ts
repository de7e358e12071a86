// The currencies and chains of the test provider: input for rules that apply to any provider.

export { bridgeOffer as offer } from '../src/provider/bridge/offer.ts'
