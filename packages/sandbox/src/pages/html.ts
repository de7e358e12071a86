// Owns how markup is written: a template tag that escapes every value put into it, so that no page can forget to.
// Attribute values must stand in double quotes; escaping covers element text and quoted attributes, nothing else.

/** Markup that needs no further escaping. Only the tag below makes one. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Renderable = Html | string | number | false | null | undefined | readonly Renderable[]

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

/** html`<p>${anything}</p>`: strings are escaped, `Html` is kept, lists are joined, false/null/undefined vanish. */
export const html = (strings: TemplateStringsArray, ...values: Renderable[]): Html =>
  new Html(strings.map((part, index) => part + render(values[index])).join(''))
