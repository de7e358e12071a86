// A URL that breaks after its separators, and within a word only where the word alone is too long for the line.

import { Fragment } from 'react'

export function UrlText({ url }: { url: string }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      {url.split(/(?<=[/.?&=_-])(?![/])/).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a URL stay where they are
        <Fragment key={at}>
          <span>{part}</span>
          <wbr />
        </Fragment>
      ))}
    </span>
  )
}
