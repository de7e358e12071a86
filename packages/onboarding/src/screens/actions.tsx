// The buttons below a step of the form.

import type { Form } from '../form/use-form.ts'
import { useTexts } from '../parts/context.ts'

/** Forwards by the form's own button, and back. */
export function Actions({ form, isLast = false }: { form: Form; isLast?: boolean }) {
  const texts = useTexts()
  return (
    <div className="actions">
      <button type="submit" className="primary" disabled={form.isBusy}>
        {isLast ? (form.isBusy ? texts.form.sending : texts.form.send) : texts.page.next}
      </button>
      {form.canGoBack && (
        <button type="button" className="quiet" disabled={form.isBusy} onClick={form.back}>
          {texts.page.back}
        </button>
      )}
    </div>
  )
}
