// The logo: a small picture, read in the browser and sent with the rest.

import { useState } from 'react'
import { Button } from '../../components/ui/button.tsx'
import { Field, Input } from '../../components/ui/form.tsx'

const bytesMax = 64 * 1024
const types = ['image/png', 'image/jpeg', 'image/webp']

type Props = {
  value: string | null
  onChange: (logo: string | null) => void
  /** The background color of the page. */
  ground: string
  /** The server's error for the field. */
  refusal: string | undefined
}

export function LogoField({ value, onChange, ground, refusal }: Props) {
  const [fault, setFault] = useState<string | undefined>()
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    const wrong = faultOf(file)
    setFault(wrong)
    if (wrong === undefined) onChange(await textOf(file))
  }
  return (
    <Field
      label="Logo"
      hint="PNG, JPEG or WebP, at most 64 KiB. Without a logo, the page shows the name."
      fault={fault ?? refusal}
    >
      {(attributes) => (
        <div className="grid gap-2">
          {value !== null && (
            <div className="flex flex-wrap items-center gap-3">
              <span className="rounded-md border border-line p-2" style={{ background: ground }}>
                <img src={value} alt="The logo" className="max-h-12 max-w-48" onError={() => setFault(unreadable)} />
              </span>
              <Button size="sm" onClick={() => onChange(null)}>
                Remove logo
              </Button>
            </div>
          )}
          <Input
            {...attributes}
            type="file"
            accept={types.join(',')}
            className="h-auto py-1.5 file:mr-3 file:rounded file:border-0 file:bg-sunken file:px-2 file:py-1 file:text-ink"
            onChange={({ target }) => {
              void read(target.files?.[0])
              target.value = '' // the same file can be chosen again
            }}
          />
        </div>
      )}
    </Field>
  )
}

const unreadable = 'This image cannot be displayed. The file may be damaged.'

function faultOf({ type, size }: File): string | undefined {
  if (!types.includes(type)) return 'The file must be a PNG, JPEG or WebP image.'
  if (size > bytesMax) return `The file has ${Math.ceil(size / 1024)} KiB. The maximum is 64 KiB.`
  return undefined
}

/** @returns a `data:` URI */
function textOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'))
    reader.readAsDataURL(file)
  })
}
