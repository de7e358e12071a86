// A color, picked or written, with how it can be read.

import { Check } from 'lucide-react'
import { Field, Input } from '../../components/ui/form.tsx'
import { contrastMin, contrastOf, contrastWords, isColor } from './contrast.ts'

type Props = {
  label: string
  hint: string
  value: string
  onChange: (color: string) => void
  /** The ground on which it must be readable; null for the ground itself. */
  ground: string | null
  /** The server's error for the field. */
  refusal: string | undefined
}

export function ColorField({ label, hint, value, onChange, ground, refusal }: Props) {
  const contrast = ground !== null && isColor(value) && isColor(ground) ? contrastOf(value, ground) : null
  return (
    <Field label={label} hint={hintOf(hint, contrast)} fault={faultOf(value, contrast) ?? refusal}>
      {(attributes) => (
        <div className="flex gap-2">
          <input
            type="color"
            aria-label={`Pick: ${label}`}
            className="h-9 w-12 shrink-0 cursor-pointer rounded-md border border-line-strong/60 bg-surface p-1 disabled:cursor-not-allowed disabled:opacity-60"
            value={isColor(value) ? value.toLowerCase() : '#000000'}
            onChange={({ target }) => onChange(target.value)}
          />
          <Input
            {...attributes}
            className="min-w-0 font-mono"
            autoComplete="off"
            spellCheck={false}
            maxLength={7}
            value={value}
            onChange={({ target }) => onChange(target.value.trim())}
          />
        </div>
      )}
    </Field>
  )
}

function faultOf(value: string, contrast: number | null): string | undefined {
  if (!isColor(value)) return 'Use the format #rrggbb, for example #0f766e.'
  if (contrast === null || contrast >= contrastMin) return undefined
  return `Contrast ${contrastWords(contrast)} with the background. Minimum: ${contrastWords(contrastMin)}.`
}

const hintOf = (hint: string, contrast: number | null) =>
  contrast === null ? (
    hint
  ) : (
    <>
      {hint}{' '}
      <span className="whitespace-nowrap text-good">
        <Check aria-hidden="true" className="inline size-3" /> Contrast {contrastWords(contrast)}
      </span>
    </>
  )
