// Owns the page that says one thing and offers nothing to do: unknown links, links that cannot be used.
import { html } from './html.ts'
import { renderPage } from './layout.ts'

export const messagePage = (message: { title: string; text: string; hint: string }): string =>
  renderPage({
    title: message.title,
    kind: 'hosted',
    main: html`<section class="card result">
      <span class="emblem warning" aria-hidden="true"></span>
      <h1>${message.title}</h1>
      <p>${message.text}</p>
      <p class="muted">${message.hint}</p>
    </section>`,
  })
