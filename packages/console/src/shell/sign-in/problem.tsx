// Why a sign-in with a company account failed, and what the person can do.

type Words = readonly [title: string, remedy: string]

const others: Words = ['You could not be signed in', 'Try again. If it fails again, contact your administrator.']

/** Codes of the server: `SignInError`. */
const problems: Readonly<Record<string, Words>> = {
  business_suspended: ['This business is suspended', 'Contact the operator of this service.'],
  role_unknown: [
    'Your account has no role',
    'Ask your administrator to add you to a group that has a role, or to change the role mapping in Causeway.',
  ],
  sign_in_expired: ['The sign-in has expired', 'Sign in again within 10 minutes, in one browser.'],
  sign_in_failed: [
    'The sign-in failed',
    'Try again. If it fails again, ask your administrator to check the staff sign-in settings.',
  ],
  sign_in_not_set: [
    'Sign-in with a company account is not set up',
    'Check the Business ID, or ask your administrator to set up staff sign-in.',
  ],
  sign_in_unavailable: [
    'The identity provider cannot be reached',
    'Try again in a few minutes. If you have an API key, you can sign in with it.',
  ],
}

/** @param code of the URL, to which the server led */
export function Problem({ code }: { code: string }) {
  const [title, remedy] = (Object.hasOwn(problems, code) && problems[code]) || others
  return (
    <div role="alert" className="grid gap-1 rounded-lg border border-bad/40 bg-bad-soft p-4">
      <p className="font-semibold text-bad">{title}</p>
      <p>{remedy}</p>
      <p className="break-words text-soft text-xs">Code {code}</p>
    </div>
  )
}
