// Bodies of `multipart/form-data`, whole and broken.

import { idImage } from '../../../../cli/src/demo/image.ts'
import { freshIdentityMark } from '../../fuzz/marks.ts'
import type { Draw } from './draw.ts'
import { hostileNames, hostileText } from './hostile-texts.ts'

type Part = { head: string; content: Buffer | string }

/** @returns the body and its content type */
export function multipartOf(draw: Draw, data: unknown, broken: boolean): { contentType: string; body: Buffer } {
  const mark = freshIdentityMark()
  const image = Buffer.from(idImage().split(',').at(-1) ?? '', 'base64')
  const name = broken
    ? draw.pick([...strangePlaces, ...hostileNames, hostileText(draw, mark)])
    : 'identifying_information[0].image_front'
  const parts: Part[] = [
    {
      head: 'Content-Disposition: form-data; name="data"\r\nContent-Type: application/json',
      content: JSON.stringify(data),
    },
    {
      head: `Content-Disposition: form-data; name="${name}"; filename="${mark}.png"\r\nContent-Type: image/png`,
      content: image,
    },
  ]
  const boundary = `----${mark}`
  const contentType = `multipart/form-data; boundary=${boundary}`
  const whole = (pieces: readonly Part[]): Buffer =>
    Buffer.concat([
      ...pieces.flatMap(({ head, content }) => [
        Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
        Buffer.from(content),
        Buffer.from('\r\n'),
      ]),
      Buffer.from(`--${boundary}--\r\n`),
    ])
  if (!broken) return { contentType, body: whole(parts) }
  const [first, second] = parts as [Part, Part]
  return draw.pick<() => { contentType: string; body: Buffer }>([
    () => ({ contentType, body: whole(parts) }),
    () => ({ contentType: 'multipart/form-data', body: whole(parts) }),
    () => ({ contentType: `multipart/form-data; boundary=${'b'.repeat(200)}`, body: whole(parts) }),
    () => ({ contentType: 'multipart/form-data; boundary="', body: whole(parts) }),
    () => ({ contentType, body: whole(parts).subarray(0, draw.below(whole(parts).length)) }),
    () => ({ contentType, body: Buffer.alloc(0) }),
    () => ({ contentType, body: Buffer.from(`--${boundary}--\r\n`) }),
    () => ({ contentType, body: Buffer.from(`--${boundary}\r\n\r\n${mark}`) }),
    () => ({ contentType, body: whole([second]) }),
    () => ({ contentType, body: whole([first, first]) }),
    () => ({ contentType, body: whole([first, second, second]) }),
    () => ({ contentType, body: whole([first, ...Array.from({ length: 120 }, () => ({ ...second, content: mark }))]) }),
    () => ({
      contentType,
      body: whole([
        { ...first, content: draw.pick(['', 'null', '[]', `{"${mark}`, '{"__proto__":1}', `${'['.repeat(5_000)}`]) },
      ]),
    }),
    () => ({ contentType, body: whole([first, { ...second, head: `${second.head}\r\nX: ${mark.repeat(800)}` }]) }),
    () => ({ contentType, body: whole([first, { ...second, head: draw.pick(strangeHeads).replace('@', mark) }]) }),
    () => ({
      contentType,
      body: whole([{ ...first, head: `${first.head}; charset=utf-16\r\nContent-Transfer-Encoding: base64` }]),
    }),
    () => ({ contentType, body: Buffer.concat([Buffer.from(mark), whole(parts), Buffer.from(mark)]) }),
  ])()
}

const strangePlaces = [
  ...[
    '__proto__.image',
    'constructor.prototype.image',
    'identifying_information.__proto__.image',
    'identifying_information[999].image_front',
  ],
  ...[
    'identifying_information[0].image_front',
    'identifying_information[-1].image',
    'data',
    'data.image',
    'file',
    'first_name.file',
    'a'.repeat(500),
  ],
] as const

const strangeHeads = [
  ...[
    '',
    'Content-Disposition: @',
    'Content-Disposition: form-data',
    "Content-Disposition: form-data; name=@; filename*=UTF-8''%ff%fe",
    'content-disposition form-data',
  ],
  ...[
    'Content-Disposition: form-data; name="@\r\n injected"',
    'Content-Disposition: attachment; name="data"',
    'Content-Type: text/plain\r\n\r\n@',
  ],
  ...[
    'Content-Disposition: form-data; name="documents[0].file"\r\nContent-Type: @/@; charset=\u0000',
    'Content-Disposition: form-data; name=file; filename="../../@"\r\nContent-Type: multipart/mixed; boundary=x',
  ],
] as const
