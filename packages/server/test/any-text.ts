// Texts of any Unicode characters. For `unit: 'binary'`, and for addresses of the web, fast-check makes a table of all
// 1.1 million characters, which takes a second of CPU in each process.

import fc from 'fast-check'

/** For the `unit` of a text: no lone surrogate, every second one of ASCII. */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10ffff - 0x800))
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800))

const sentAsTheyAre = fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@")

/** Any text that is valid between the slashes of a path and in a query (RFC 3986, 3.3 and 3.4). */
export const anySegment = fc
  .array(fc.oneof(sentAsTheyAre, anyCharacter.map(encodeURIComponent)))
  .map((characters) => characters.join(''))
