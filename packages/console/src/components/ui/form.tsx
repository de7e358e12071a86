// Parts of forms: a labelled field with its hint and its fault, and the controls inside of it.

import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

const control =
  'w-full rounded-md border border-line-strong/60 bg-surface px-3 text-ink placeholder:text-soft aria-invalid:border-bad disabled:opacity-60'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(control, 'h-9', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={cn(control, 'min-h-20 py-2', className)} {...props} />
}

/** The browser's own list of choices. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select className={cn(control, 'h-9 pr-8', className)} {...props} />
}

export function Checkbox({ className, label, ...props }: ComponentProps<'input'> & { label: ReactNode }) {
  return (
    <label className={cn('inline-flex items-center gap-2', className)}>
      <input type="checkbox" className="size-4 accent-accent" {...props} />
      <span>{label}</span>
    </label>
  )
}

type Labelled = {
  label: string
  hint?: ReactNode
  fault?: string | undefined
  /** Class of the field with its label. */
  className?: string | undefined
}

type FieldProps = Labelled & {
  /** Gets the attributes that tie the control to its label, hint and fault. */
  children: (attributes: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode
}

export function Field({ label, hint, fault, className, children }: FieldProps) {
  const id = useId()
  const hasNote = fault !== undefined || hint !== undefined
  return (
    <div className={cn('grid gap-1.5', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': hasNote ? `${id}-note` : undefined, 'aria-invalid': fault !== undefined })}
      {hasNote && (
        <p id={`${id}-note`} className={cn('text-xs', fault === undefined ? 'text-soft' : 'text-bad')}>
          {fault ?? hint}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = Labelled &
  Omit<ComponentProps<'input'>, keyof Labelled | 'onChange'> & { onChange: (text: string) => void }

export function TextField({ label, hint, fault, className, onChange, ...props }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault} className={className}>
      {(attributes) => (
        <Input autoComplete="off" {...attributes} {...props} onChange={({ target }) => onChange(target.value)} />
      )}
    </Field>
  )
}

type SelectFieldProps<Value> = Labelled & {
  options: readonly (readonly [value: Value, words: string])[]
  value: Value
  disabled?: boolean
  onChange: (value: Value) => void
}

export function SelectField<Value extends string | number>({ options, onChange, ...props }: SelectFieldProps<Value>) {
  const { label, hint, fault, className, ...select } = props
  return (
    <Field label={label} hint={hint} fault={fault} className={className}>
      {(attributes) => (
        <Select
          {...attributes}
          {...select}
          onChange={({ target }) => {
            const chosen = options.find(([value]) => String(value) === target.value)
            if (chosen) onChange(chosen[0])
          }}
        >
          {options.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
