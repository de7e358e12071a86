// Owns the page that says one thing and offers nothing to do but to go back: unknown links, links that cannot be used.
import { html } from './html.ts'
import { renderPage } from './layout.ts'

export const messagePage = (message: {
  title: string
  text: string
  hint: string
  back?: { href: string; label: string }
}): string =>
  renderPage({
    title: message.title,
    kind: 'hosted',
    main: html`<section class="card result">
      <span class="emblem warning" aria-hidden="true"></span>
      <h1>${message.title}</h1>
      <p>${message.text}</p>
      <p class="muted">${message.hint}</p>
      ${message.back && html`<p class="actions"><a class="button" href="${message.back.href}">${message.back.label}</a></p>`}
    </section>`,
  })
