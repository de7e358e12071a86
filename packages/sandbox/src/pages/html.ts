// The template tag for markup. It escapes every value, for element text and for attributes in double quotes only.

/** Markup that is escaped. Only the tag below makes it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Renderable = Html | string | number | false | null | undefined | readonly Renderable[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

const render = (value: Renderable): string => {
  if (value === false || value === null || value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  return value.map(render).join('')
}

/** Renders a template: strings are escaped, `Html` is kept, lists are joined, false, null and undefined are left out. */
export const html = (strings: TemplateStringsArray, ...values: Renderable[]): Html =>
  new Html(strings.map((part, index) => part + render(values[index])).join(''))
