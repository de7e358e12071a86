// `causeway login`: keeps the address and the key of a deployment as a profile.

import { Causeway } from '../../../sdk/src/index.ts'
import { type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { show } from '../output/show.ts'
import { requireKey, resolveTarget } from './resolve.ts'
import { writeProfile } from './store.ts'

/** @throws ApiError for a key that is not valid: nothing is kept then */
export async function login(context: Context): Promise<number> {
  const { env, flags, terminal } = context
  const { profile = 'default', baseUrl, apiKey } = flags
  if (typeof baseUrl !== 'string' || apiKey === undefined)
    throw new UsageError('login needs --base-url, and the key on standard input by --api-key -')
  const target = await resolveTarget(context)
  const key = requireKey(target)
  const { name, customerId, scopes } = await new Causeway({ baseUrl, apiKey: key }).call('whoAmI', {})
  await writeProfile(env, String(profile), { baseUrl, apiKey: key })
  terminal.complain(`Kept as profile ${profile}, which is used from now on.`)
  show(context, { profile, baseUrl, business: name, customerId, key: `${key.slice(0, 9)}…${key.slice(-4)}`, scopes })
  return exitCodes.done
}
