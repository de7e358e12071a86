// The version of this service, as its package states it.

import packageJson from '../../package.json' with { type: 'json' }

export const version: string = packageJson.version
