// The link of this page as a QR code. Loaded when somebody asks for it.

import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'

/** Modules of white around a code, as ISO/IEC 18004 asks for. */
const quietZone = 4

export type Code = { path: string; viewBox: string }

export function codeOf(link: string): Code {
  const code = generate(link)
  const side = code.size + 2 * quietZone
  return { path: toSvgPath(code), viewBox: `${-quietZone} ${-quietZone} ${side} ${side}` }
}
