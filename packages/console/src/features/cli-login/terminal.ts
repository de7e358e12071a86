// Data that the page sends to the waiting command on this computer.

/** The request of a command, or null if the URL is not one of `causeway login --browser`. */
export type Asked = { port: number; state: string; key: string; device: string }

type Given = { readonly [Name in 'port' | 'state' | 'key' | 'device']?: string | undefined }

export function askedOf({ port = '', state = '', key = '', device = '' }: Given): Asked | null {
  const number = /^\d{4,5}$/.test(port) ? Number(port) : 0
  if (number < 1_024 || number > 65_535 || !/^cli_[0-9a-f]{32}$/.test(state) || !/^[\w-]{300,600}$/.test(key))
    return null
  return { port: number, state, key, device: device.slice(0, 60) || 'a computer' }
}

/** The terminal shows the same code. */
export const pairingCode = ({ state }: Asked): string => `${state.slice(4, 8)}-${state.slice(8, 12)}`.toUpperCase()

/** Only this computer is gone to, whatever the address of the page says. */
function addressOf({ port, state }: Asked, answer: Record<string, string>): string {
  return `http://127.0.0.1:${port}/?${new URLSearchParams({ state, ...answer })}`
}

export const refusalAddress = (asked: Asked): string => addressOf(asked, { error: 'refused' })

/** The key in the URL is encrypted, so that the browser history contains no usable key. */
export async function answerAddress(asked: Asked, apiKey: string): Promise<string> {
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' }
  const publicKey = await crypto.subtle.importKey('spki', bytesOf(asked.key), algorithm, false, ['encrypt'])
  const sealed = await crypto.subtle.encrypt(algorithm, publicKey, new TextEncoder().encode(apiKey))
  return addressOf(asked, { sealed: textOf(new Uint8Array(sealed)) })
}

/** Of base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}

const textOf = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
