// Signing secrets: `whsec_` and the bytes of an HMAC key in base64.

import { decodeBase64 } from './envelope.ts'
import { SignatureError } from './signature-error.ts'

/** A WebCrypto key, with a type name that exists in each runtime. */
export type VerifyKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** @throws SignatureError `secret_malformed`, without the secret */
export async function importSecrets(secrets: string | readonly string[]): Promise<VerifyKey[]> {
  const list: readonly string[] = typeof secrets === 'object' ? secrets : [secrets]
  if (list.length === 0) throw new SignatureError('secret_malformed')
  return await Promise.all(list.map(importSecret))
}

async function importSecret(secret: string): Promise<VerifyKey> {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret) ?? []
  const bytes = decodeBase64(encoded)
  if (bytes === null || bytes.length === 0) throw new SignatureError('secret_malformed')
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}
