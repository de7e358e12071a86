// The metadata of an issuer for tests of other things, which any test of a process may name. Ends with the process.

import { startIssuerMetadata } from '../../../../scripts/recording/issuer.ts'

export const { url: issuerUrl } = await startIssuerMetadata({ unref: true })
