// What the provider of the tests offers: an input for rules that serve any provider.

export { bridgeOffer as offer } from '../src/provider/bridge/offer.ts'
