// Invalid `multipart/form-data` bodies, by kind. The server may accept a body that is still valid.

type Part = { head: string; content: Buffer | string }
type Multipart = { body: Buffer; headers: Record<string, string>; codes: null }

/** @param whole JSON of the part `data`. @param picture as a `data:` URI */
export function multipartBodies(whole: string, mark: string, picture: string): Record<string, () => Multipart> {
  const boundary = `----${mark}`
  const of =
    (body: Buffer | string, type = `multipart/form-data; boundary=${boundary}`) =>
    (): Multipart => ({
      body: Buffer.from(body),
      headers: { 'content-type': type },
      codes: null,
    })
  const joined = (...parts: readonly Part[]): Buffer =>
    Buffer.concat([
      ...parts.flatMap(({ head, content }) => [
        Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
        Buffer.from(content),
        Buffer.from('\r\n'),
      ]),
      Buffer.from(`--${boundary}--\r\n`),
    ])
  const partNamed = (name: string, more = ''): Part => ({
    head: `Content-Disposition: form-data; name="${name}"; filename="${mark}.png"\r\nContent-Type: image/png${more}`,
    content: Buffer.from(picture.split(',').at(-1) ?? '', 'base64'),
  })
  const data: Part = {
    head: 'Content-Disposition: form-data; name="data"\r\nContent-Type: application/json',
    content: whole,
  }
  const file = partNamed('identifying_information[0].image_front')
  const sound = joined(data, file)
  const inPlaces = places.map((place) => [`multipart: a file in ${place}`, of(joined(data, partNamed(place)))])
  const withHeads = heads.map((head) => [
    `multipart: ${head.slice(0, 40)}`,
    of(joined(data, { ...file, head: head.replace('@', mark) })),
  ])
  return {
    'multipart: no boundary': of(sound, 'multipart/form-data'),
    'multipart: another boundary': of(sound, `multipart/form-data; boundary=${'b'.repeat(200)}`),
    'multipart: half a boundary': of(sound, 'multipart/form-data; boundary="'),
    'multipart: cut short': of(sound.subarray(0, Math.floor(sound.length / 2))),
    'multipart: nothing': of(''),
    'multipart: no part': of(`--${boundary}--\r\n`),
    'multipart: a part without a head': of(`--${boundary}\r\n\r\n${mark}`),
    'multipart: no data': of(joined(file)),
    'multipart: data twice': of(joined(data, data)),
    'multipart: a file twice': of(joined(data, file, file)),
    'multipart: many files': of(joined(data, ...Array.from({ length: 120 }, () => ({ ...file, content: mark })))),
    'multipart: deep data': of(joined({ ...data, content: '['.repeat(5_000) })),
    'multipart: data that is no JSON': of(joined({ ...data, content: `{"${mark}` })),
    'multipart: a long head': of(joined(data, partNamed('data.image', `\r\nX: ${mark.repeat(800)}`))),
    'multipart: another encoding': of(joined({ ...data, head: `${data.head}; charset=utf-16` })),
    'multipart: text around it': of(Buffer.concat([Buffer.from(mark), sound, Buffer.from(mark)])),
    ...Object.fromEntries([...inPlaces, ...withHeads]),
  }
}

const places = [
  ...['__proto__.image', 'constructor.prototype.image', 'identifying_information.__proto__.image', 'toString', '', ' '],
  ...['identifying_information[999].image_front', 'identifying_information[-1].image', 'data', 'first_name.file'],
  'a'.repeat(500),
]

const heads = [
  '',
  'content-disposition form-data',
  'Content-Disposition: @',
  'Content-Disposition: form-data',
  'Content-Disposition: attachment; name="data"',
  "Content-Disposition: form-data; name=@; filename*=UTF-8''%ff%fe",
  'Content-Disposition: form-data; name="@\r\n injected"',
  'Content-Disposition: form-data; name="documents[0].file"\r\nContent-Type: @/@; charset=\u0000',
  'Content-Disposition: form-data; name=file; filename="../../@"\r\nContent-Type: multipart/mixed; boundary=x',
]
