// Schemas of the sign-in of a business's staff.

import { Type } from 'typebox'
import type { RoleMapping } from '../platform/config.ts'
import { closed, isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { businessRoles, roleValueCharsMax, roleValuesMax } from '../platform/role-mapping.ts'
import { urlCharsMax } from '../platform/values/business-url.ts'

const roles = Type.Unsafe<RoleMapping>({
  ...closed(
    {
      claim: lineOf(roleValueCharsMax, {
        description:
          'The claim that holds the groups or roles of a person: its name, or a path such as `realm_access.roles`. `email` counts only with `email_verified`.',
      }),
      values: Type.Unsafe<RoleMapping['values']>({
        type: 'object',
        minProperties: 1,
        maxProperties: roleValuesMax,
        propertyNames: {
          minLength: 1,
          maxLength: roleValueCharsMax,
          pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
          wellFormed: true,
        },
        additionalProperties: oneOf('StaffRole', businessRoles),
        description: 'The role for each value of the claim. All values of a person count.',
      }),
    },
    { title: 'StaffRoleMapping', description: 'A person without a role cannot sign in.' },
  ),
})

const issuer = Type.String({
  minLength: 1,
  maxLength: urlCharsMax,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  wellFormed: true,
  errorText: 'must be an https URL',
  description: 'The URL of your OpenID Connect issuer, as its metadata spells it.',
})

/** Without `openid` an issuer returns no ID token (RFC 6749, 3.3: the characters of a scope). */
const scope = Type.String({
  maxLength: 500,
  pattern: '^([\\x21\\x23-\\x5b\\x5d-\\x7e]+ )*openid( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$',
  errorText: 'must be names of scopes separated by one space, one of them openid',
  default: 'openid profile email',
  description:
    'The scopes that the sign-in requests. Add `offline_access` if the issuer returns a refresh token only with it: without a refresh token, a session ends when its roles are due to be checked.',
})

const clientId = lineOf(256, { description: 'The client ID that your issuer gave to Causeway.' })

export const newSignIn = closed({
  issuer,
  clientId,
  clientSecret: Type.Optional(
    nullable(
      lineOf(1_024, {
        description:
          'The client secret. Leave it out to keep the stored one; that requires the same `issuer` and `clientId`. `null`: a public client, with PKCE only.',
      }),
    ),
  ),
  roles,
  scope: Type.Optional(scope),
})

const url = (description: string) => Type.String({ description })

export const signIn = named(
  { title: 'StaffSignIn', description: 'Where the staff of a business signs in to the console.' },
  {
    issuer,
    clientId,
    hasClientSecret: Type.Boolean(),
    roles,
    scope,
    signInUrl: url('The address where your staff starts to sign in.'),
    redirectUri: url('Register it at your issuer as the redirect URI.'),
    backchannelLogoutUri: url('Register it at your issuer for back-channel logout, if the issuer supports it.'),
    postLogoutRedirectUri: url('Register it at your issuer as the post-logout redirect URI.'),
    updatedAt: isoTime,
  },
)
