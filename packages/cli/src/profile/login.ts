// `causeway login`, `logout`, `whoami` and `profiles`: who a command speaks as.

import { Causeway } from '../../../sdk/src/index.ts'
import { type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { show } from '../output/show.ts'
import { NotSignedIn, requireKey, resolveTarget } from './resolve.ts'
import { changeProfiles, readProfiles } from './store.ts'

const defaultName = 'default'

/**
 * Keeps address and key of a deployment as a profile, when the deployment takes the key.
 * @throws ApiError for a key that is not valid: nothing is kept then
 */
export async function login(context: Context): Promise<number> {
  const { env, terminal } = context
  const name = nameOf(context) ?? defaultName
  const given = await givenOf(context, name)
  if (given === null) return exitCodes.interrupted
  const { baseUrl, apiKey } = given
  if (!/^[!-~]+$/.test(apiKey)) throw new UsageError('what was given as a key is none: it holds white space')
  const facts = await new Causeway({ baseUrl, apiKey }).call('whoAmI', {})
  await changeProfiles(env, ({ profiles }) => ({ current: name, profiles: { ...profiles, [name]: given } }))
  terminal.complain(`Kept as profile ${name}, which is used from now on.`)
  show(context, { profile: name, baseUrl, key: masked(apiKey), ...facts })
  return exitCodes.done
}

/** From options and standard input, or by asking. @returns null when the person ended a question */
async function givenOf(context: Context, name: string): Promise<{ baseUrl: string; apiKey: string } | null> {
  const { env, flags, terminal } = context
  const known = (await readProfiles(env)).profiles[name]?.baseUrl
  const address = flags['baseUrl'] ?? env['CAUSEWAY_URL'] ?? known
  const isPiped = flags['apiKey'] !== undefined
  const isGiven = isPiped || flags['browser'] === true
  if (!terminal.ask && (typeof address !== 'string' || !isGiven))
    throw new UsageError('login needs --base-url, and the key on standard input by --api-key -, or --browser')
  if (flags['browser'] && isPiped) throw new UsageError('login takes either --browser or --api-key')
  const placeholder = 'https://causeway.example.com'
  const baseUrl =
    typeof address === 'string' ? address : await terminal.ask?.({ message: 'Address of Causeway', placeholder })
  if (!baseUrl) return null
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError(`--base-url is an address, such as ${placeholder}`)
  if (isPiped) {
    const target = await resolveTarget({ ...context, flags: { ...flags, baseUrl } })
    return { baseUrl, apiKey: requireKey(target) }
  }
  const apiKey = flags['browser']
    ? await (await import('./browser-login.ts')).keyByBrowser(context, baseUrl)
    : await terminal.ask?.({ message: `API key for ${baseUrl}`, isSecret: true })
  return apiKey ? { baseUrl, apiKey } : null
}

/** Forgets a profile; the key itself stays valid. */
export async function logout(context: Context): Promise<number> {
  const { env, terminal } = context
  const { current, profiles } = await readProfiles(env)
  const name = nameOf(context) ?? current
  if (name === null || !profiles[name]) throw new NotSignedIn(`There is no profile ${name ?? 'to forget'}.`)
  await changeProfiles(env, (before) => ({
    current: before.current === name ? null : before.current,
    profiles: Object.fromEntries(Object.entries(before.profiles).filter(([other]) => other !== name)),
  }))
  terminal.complain('The key stays valid. Next, to end it: causeway api-keys revoke <id>')
  show(context, { profile: name, forgotten: true })
  return exitCodes.done
}

/** Shows where a command of this folder would go, and as whom. */
export async function whoAmI(context: Context): Promise<number> {
  const target = await resolveTarget(context)
  const apiKey = requireKey(target)
  const facts = await new Causeway({ baseUrl: target.baseUrl, apiKey }).call('whoAmI', {})
  show(context, { profile: target.name, baseUrl: target.baseUrl, key: masked(apiKey), ...facts })
  return exitCodes.done
}

export async function listProfiles(context: Context): Promise<number> {
  const { current, profiles } = await readProfiles(context.env)
  show(
    context,
    Object.entries(profiles).map(([name, { baseUrl, apiKey }]) => ({
      name,
      baseUrl,
      key: masked(apiKey),
      current: name === current,
    })),
  )
  return exitCodes.done
}

export async function useProfile(context: Context): Promise<number> {
  const [name = ''] = context.args
  const { profiles } = await readProfiles(context.env)
  const profile = profiles[name]
  if (!profile) throw new NotSignedIn(`There is no profile ${name}. Next: causeway login --profile ${name}`)
  await changeProfiles(context.env, (before) => ({ ...before, current: name }))
  show(context, { profile: name, baseUrl: profile.baseUrl })
  return exitCodes.done
}

function nameOf({ env, flags }: Context): string | null {
  const name = flags['profile'] ?? env['CAUSEWAY_PROFILE']
  return typeof name === 'string' ? name : null
}

/** Enough of a key to tell it from others. */
const masked = (key: string): string => (key.length < 20 ? '…' : `${key.slice(0, 9)}…${key.slice(-4)}`)
