// `causeway login`, `logout`, `whoami` and `profiles`: the deployment and API key of a command.

import { Causeway } from '../../../sdk/src/index.ts'
import { type Context, UsageError } from '../command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { show } from '../output/show.ts'
import { masked, NotSignedIn, requireKey, resolveTarget } from './resolve.ts'
import { changeProfiles, readProfiles } from './store.ts'

const defaultName = 'default'

/**
 * Saves URL and key of a deployment as a profile, if the deployment accepts the key.
 * @throws ApiError for a key that is not valid: nothing is saved then
 */
export async function login(context: Context): Promise<number> {
  const { env, terminal } = context
  const name = nameOf(context) ?? defaultName
  const given = await givenOf(context, name)
  if (given === null) return exitCodes.interrupted
  const { baseUrl, apiKey } = given
  if (!/^[!-~]+$/.test(apiKey)) throw new UsageError('an API key has no white space')
  const facts = await new Causeway({ baseUrl, apiKey }).call('whoAmI', {})
  await changeProfiles(env, ({ profiles }) => ({ current: name, profiles: { ...profiles, [name]: given } }))
  terminal.complain(`Saved as profile ${name}, now the current profile.`)
  show(context, { profile: name, baseUrl, key: masked(apiKey), ...facts })
  return exitCodes.done
}

/** Reads options and standard input, or prompts. @returns null when the user cancels a prompt */
async function givenOf(context: Context, name: string): Promise<{ baseUrl: string; apiKey: string } | null> {
  const { env, flags, terminal } = context
  const known = (await readProfiles(env)).profiles[name]?.baseUrl
  const address = flags['baseUrl'] ?? env['CAUSEWAY_URL'] ?? known
  const isPiped = flags['apiKey'] !== undefined
  const isGiven = isPiped || flags['browser'] === true
  if (!terminal.ask && (typeof address !== 'string' || !isGiven))
    throw new UsageError('login needs --base-url, and the API key on standard input with --api-key -, or --browser')
  if (flags['browser'] && isPiped) throw new UsageError('login takes either --browser or --api-key')
  const placeholder = 'https://causeway.example.com'
  const baseUrl =
    typeof address === 'string' ? address : await terminal.ask?.({ message: 'URL of Causeway', placeholder })
  if (!baseUrl) return null
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError(`--base-url takes a URL, such as ${placeholder}`)
  if (isPiped) {
    const target = await resolveTarget({ ...context, flags: { ...flags, baseUrl } })
    return { baseUrl, apiKey: requireKey(target) }
  }
  const apiKey = flags['browser']
    ? await (await import('./browser-login.ts')).keyByBrowser(context, baseUrl)
    : await terminal.ask?.({ message: `API key for ${baseUrl}`, isSecret: true })
  return apiKey ? { baseUrl, apiKey } : null
}

/** Deletes a profile; the key itself stays valid. */
export async function logout(context: Context): Promise<number> {
  const { env, terminal } = context
  const { current, profiles } = await readProfiles(env)
  const name = nameOf(context) ?? current
  if (name === null || !profiles[name])
    throw new NotSignedIn(name === null ? 'There is no current profile.' : `There is no profile ${name}.`)
  await changeProfiles(env, (before) => ({
    current: before.current === name ? null : before.current,
    profiles: Object.fromEntries(Object.entries(before.profiles).filter(([other]) => other !== name)),
  }))
  terminal.complain('The API key stays valid. To revoke it, run `causeway api-keys revoke <id>` or use the console.')
  show(context, { profile: name, deleted: true })
  return exitCodes.done
}

/** Shows the deployment, business and key of commands in this folder. */
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
  if (!profile) throw new NotSignedIn(`There is no profile ${name}. Run \`causeway login --profile ${name}\`.`)
  await changeProfiles(context.env, (before) => ({ ...before, current: name }))
  show(context, { profile: name, baseUrl: profile.baseUrl })
  return exitCodes.done
}

function nameOf({ env, flags }: Context): string | null {
  const name = flags['profile'] ?? env['CAUSEWAY_PROFILE']
  return typeof name === 'string' ? name : null
}
