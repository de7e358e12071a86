// A replica on an adapter whose parts a test has changed: for the loops, and for each request.

import type { ProviderClient } from '../src/provider/adapters.ts'
import type { Provider } from '../src/provider/port.ts'

/** @param change makes other parts from those of the adapter */
export const adapted =
  (change: (made: Pick<Provider, 'accounts' | 'traits'>) => Partial<Pick<Provider, 'accounts' | 'traits'>>) =>
  (made: ProviderClient): ProviderClient => ({
    ...made,
    ...change(made),
    during: (turn) => {
      const ofTurn = made.during(turn)
      return { ...ofTurn, ...change(ofTurn) }
    },
  })
