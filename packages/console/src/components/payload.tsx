// JSON with its parts in colours. The text is parsed here, and shown as text.

import { CopyButton } from './copy-button.tsx'

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A value, or a text that may be JSON. Longer texts than this are shown without colours. */
const colouredCharsMax = 100_000

export function Payload({ value, name = 'payload' }: { value: unknown; name?: string }) {
  const text = textOf(value)
  return (
    <div className="relative">
      <div className="absolute top-1 right-1 rounded-md bg-sunken">
        <CopyButton text={text} name={name} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <pre tabIndex={0} className="max-h-128 overflow-auto rounded-md bg-sunken p-3 pr-10 font-mono text-xs leading-5">
        <code>{text.length > colouredCharsMax ? text : [...coloured(text)]}</code>
      </pre>
    </div>
  )
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? ''
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

function* coloured(text: string) {
  let at = 0
  for (const match of text.matchAll(token)) {
    if (match.index > at) yield text.slice(at, match.index)
    const [whole, string, colon] = match
    if (string !== undefined && colon !== undefined) {
      yield (
        <span key={match.index} className="text-accent">
          {string}
        </span>
      )
      yield colon
    } else
      yield (
        <span key={match.index} className={string === undefined ? 'text-warn' : 'text-good'}>
          {whole}
        </span>
      )
    at = match.index + whole.length
  }
  yield text.slice(at)
}
