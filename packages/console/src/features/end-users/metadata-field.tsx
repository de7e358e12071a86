// Labels as lines of `key=value`, for a form.

import { Field, Textarea } from '../../components/ui/form.tsx'
import { labelOf } from './search.ts'

/** Reads lines of `key=value`. @returns the first line that is none */
export function metadataOf(text: string): { metadata: Record<string, string> } | { fault: string } {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const metadata: Record<string, string> = {}
  for (const line of lines) {
    const pair = labelOf(line)
    if (pair === null) return { fault: `“${line.trim()}” is not written key=value.` }
    metadata[pair[0]] = pair[1]
  }
  return { metadata }
}

export const textOfMetadata = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')

/** Whether the lines say all of it: a value may hold a line break, a key a sign. */
export function isWritable(metadata: Readonly<Record<string, string>>): boolean {
  const read = metadataOf(textOfMetadata(metadata))
  if ('fault' in read) return false
  const pairs = Object.entries(metadata)
  return (
    pairs.length === Object.keys(read.metadata).length && pairs.every(([key, value]) => read.metadata[key] === value)
  )
}

export function MetadataField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const read = metadataOf(value)
  return (
    <Field
      label="Metadata"
      hint="One key=value pair per line, for example plan=gold. Do not add personal data."
      fault={'fault' in read ? read.fault : undefined}
    >
      {(attributes) => (
        <Textarea
          {...attributes}
          className="font-mono text-xs"
          rows={3}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
