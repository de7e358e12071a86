// A text that is cut where it is too long for its column. The title and the card show the whole text.

export function Clipped({ text, className = '' }: { text: string; className?: string }) {
  return (
    <span title={text} className={`block break-all rows:truncate ${className}`}>
      {text}
    </span>
  )
}
