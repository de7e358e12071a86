// Bodies that are wrong as bytes: no JSON, no UTF-8, another type, too deep, too large, packed.

import { gzipSync } from 'node:zlib'
import { kycBody, ordinaryBody, providerEventBody } from '../../../../server/src/platform/http/limits.ts'
import type { Draw } from './draw.ts'

/** `refused`: no operation with a body may take it. */
export type BrokenBytes = { body: Buffer; contentType: string | null; refused: boolean; headers?: [string, string][] }

const json = 'application/json'

export function breakBytes(draw: Draw, whole: Buffer, mark: string): BrokenBytes {
  const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')
  const no = (body: Buffer | string, contentType: string | null = json): BrokenBytes => ({
    body: Buffer.from(body),
    contentType,
    refused: true,
  })
  const maybe = (body: Buffer | string): BrokenBytes => ({ body: Buffer.from(body), contentType: json, refused: false })
  if (draw.oneIn(25)) return sized(draw, mark)
  const text = whole.toString('latin1')
  return draw.pick<() => BrokenBytes>([
    () => no(whole.subarray(0, Math.max(1, whole.length - 1))),
    () => no(Buffer.concat([whole, bytes(mark)])),
    () => no(Buffer.concat([bytes(`{"a":"${mark}","b":`), Buffer.from([0xff, 0xfe]), bytes('}')])),
    () => no(Buffer.concat([bytes(`{"a":"`), Buffer.from([0xed, 0xa0, 0x80]), bytes(`${mark}"}`)])),
    () => no(Buffer.from(`${text}`, 'utf16le')),
    () => no(`{'${mark}':1}`),
    () => no(`{"${mark}":1,}`),
    () => no(`//${mark}\n{}`),
    () => no(`{"a":${mark}}`),
    () => no(`{"a":"${mark}\u0001"}`),
    () => no(`{"__proto__":{"admin":"${mark}"}}`),
    () => no(`{"a":${'['.repeat(40)}"${mark}"${']'.repeat(40)}}`),
    () => no('['.repeat(100_000)),
    () => no(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    () => no(`"${mark}"`),
    () => no('null'),
    () => no(`["${mark}"]`),
    () => no(whole, draw.pick(otherTypes).replace('@', mark)),
    () => no(whole, draw.pick(otherTypes).replace('@', mark)),
    () => ({ ...no(gzipSync(whole)), headers: [['content-encoding', 'gzip']] }),
    // The last of two members of one name counts, or both are refused.
    () => maybe(text.replace(/^\{/, `{"name":"${mark}","externalUserId":1,"externalUserId":"${mark}",`)),
    () => maybe(text.replace(/^\{/, `{"constructor":{"prototype":{"a":"${mark}"}},`)),
    () => maybe(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole])),
    () => maybe(`  \n${whole.toString('utf8')}\t `),
    () =>
      maybe(
        text
          .replaceAll('"', '"')
          .replace(/:"([a-z])/g, (_all, first: string) => `:"\\u00${first.charCodeAt(0).toString(16)}`),
      ),
    () => maybe(`{${Array.from({ length: 5_000 }, (_, at) => `"name${at}":"${mark}"`).join()}}`),
  ])()
}

const otherTypes = [
  ...[
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'application/jsonx',
    'text/json',
    '@',
    '@/@',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset="@"',
    'multipart/form-data; boundary=x@',
    'application/ json',
    '/',
    ';',
    'application/json, text/plain',
  ],
] as const

/** At the limits, and one above. The largest are rare: each costs as much as a thousand others. */
function sized(draw: Draw, mark: string): BrokenBytes {
  const above = draw.oneIn(2) ? 1 : 0
  const filled = (bytes: number, beginning: string) =>
    ({ contentType: json, body: Buffer.from(`${beginning.padEnd(bytes - 2, 'x')}"}`) }) as const
  // The mark is a value: the names of unknown members are told to the caller.
  const crowd = (members: number) =>
    Buffer.from(`{"name":"${mark}"${Array.from({ length: members - 1 }, (_, at) => `,"name${at}":1`).join('')}}`)
  if (draw.oneIn(20)) return { ...filled(kycBody.bytesMax + above, `{"a":"data:${mark}`), refused: above === 1 }
  return draw.pick<() => BrokenBytes>([
    () => ({ ...filled(ordinaryBody.bytesMax + above, `{"a":"${mark}`), refused: false }),
    () => ({ ...filled(kycBody.plainBytesMax + above, `{"a":"${mark}`), refused: false }),
    () => ({ ...filled(providerEventBody.bytesMax + above, `{"a":"${mark}`), refused: above === 1 }),
    () => ({ body: crowd(ordinaryBody.membersMax + above), contentType: json, refused: false }),
    () => ({ body: crowd(kycBody.membersMax + above), contentType: json, refused: above === 1 }),
  ])()
}
