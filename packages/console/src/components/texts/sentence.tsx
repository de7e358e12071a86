// A sentence of the server for people: its times become the reader's, and calls of the API, for which a page has buttons, are left out.

import { Time } from '../time.tsx'

const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const call = / [^.]*`(?:GET|POST|PUT|PATCH|DELETE) [^`]*`[^.]*\./g

export function Sentence({ text }: { text: string }) {
  return <>{[...parts(text.replace(call, ''))]}</>
}

function* parts(text: string) {
  let at = 0
  for (const { 0: time, index } of text.matchAll(isoTime)) {
    yield text.slice(at, index)
    yield <Time key={index} at={time} />
    at = index + time.length
  }
  yield text.slice(at)
}
