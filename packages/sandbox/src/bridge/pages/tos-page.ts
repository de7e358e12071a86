// The Terms of Service page: its states, and the response to Accept, which has the origin to notify and the URL to continue to.
// Only a click accepts the terms.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Html, html } from '../../pages/html.ts'
import { messagePage, renderPage, sendPage, unknownLink } from '../../pages/layout.ts'
import { chooseTargetOrigin, frameAncestors } from '../../pages/origins.ts'
import { parseRedirect, type Redirect, withParameter } from '../../pages/redirects.ts'
import { queryText, queryValue, reportedOrigins, sendProblem } from '../../pages/requests.ts'
import { termsInShort, termsSections, termsVersion } from '../../pages/terms.ts'
import { acceptTos, type TosSession, tosSession } from '../customers/hosted-pages.ts'
import type { PageContext } from './context.ts'

const path = '/accept-terms-of-service'

/** Returns the token: links for new customers have `session_token`, links for existing customers have `t`. */
const tokenOf = (request: FastifyRequest): string =>
  queryText(request, 'session_token', 256) ?? queryText(request, 't', 256) ?? ''

const redirectOf = (request: FastifyRequest): Redirect | undefined => {
  const raw = queryValue(request, 'redirect_uri')
  return raw === undefined ? undefined : parseRedirect(raw)
}

const terms = (session: TosSession): Html => html`<article class="card prose">
  <p class="eyebrow">${termsVersion}</p>
  <h1>Terms of Service</h1>
  ${session.email !== null && html`<p class="addressee">For <strong>${session.email}</strong></p>`}
  <div class="summary">
    <h2>In short</h2>
    <ul>${termsInShort.map((line) => html`<li>${line}</li>`)}</ul>
  </div>
  ${termsSections.map(
    (section, index) => html`<section><h2><span class="ordinal">${index + 1}</span>${section.heading}</h2>
      ${section.paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}</section>`,
  )}
</article>`

const actionBar = (session: TosSession, destination: string | null): Html => {
  const consent = session.accepted
    ? 'You accepted these terms before. Continuing changes nothing.'
    : 'By selecting Accept, you agree to these terms.'
  // Inert until the script runs, so that an early click is not lost.
  return html`<div class="action-bar" id="action-bar" inert>
    <p class="consent" id="consent">${consent}${destination !== null && html` You return to <strong>${destination}</strong>.`}</p>
    <button type="button" class="button primary" id="accept" aria-describedby="consent">${
      session.accepted ? 'Continue' : 'Accept'
    }</button>
    <p class="notice danger wide" id="problem" role="alert" hidden></p>
  </div>`
}

const donePanel = html`<section class="card result" id="done" hidden>
  <span class="emblem success" aria-hidden="true"></span>
  <h1 id="done-title" tabindex="-1">Terms accepted</h1>
  <p id="done-next"></p>
  <dl class="facts"><div><dt>Agreement</dt><dd><code id="agreement"></code></dd></div></dl>
  <p class="actions"><a class="button primary" id="continue" hidden>Continue</a></p>
</section>`

const tosPage = (session: TosSession, destination: string | null): string =>
  renderPage({
    title: 'Terms of Service',
    scripts: ['/assets/tos.js'],
    main: html`<div id="pending">${terms(session)}${actionBar(session, destination)}</div>${donePanel}`,
  })

const badRedirect = (reason: string): string =>
  messagePage({
    title: 'This link cannot be used',
    text: `The redirect URL (redirect_uri) is not valid. ${reason}`,
    hint: 'Nothing was accepted. Developers: use an absolute https URL (or http on localhost) with at most 2,048 characters.',
  })

export const registerTosPage = (scope: FastifyInstance, { world, embedOrigins }: PageContext): void => {
  const ancestors = frameAncestors(embedOrigins)

  scope.get(path, (request, reply) => {
    const redirect = redirectOf(request)
    if (redirect?.ok === false) return sendPage(reply, 400, badRedirect(redirect.reason), ancestors)
    const session = tosSession(world, tokenOf(request))
    if (!session) return sendPage(reply, 404, unknownLink, ancestors)
    return sendPage(reply, 200, tosPage(session, redirect?.url.host ?? null), ancestors)
  })

  // The page posts to its own address, so the redirect is checked again in the query and never read from the body.
  scope.post(path, (request, reply) => {
    const redirect = redirectOf(request)
    if (redirect?.ok === false) return sendProblem(reply, 400, 'bad_redirect_uri', redirect.reason)
    const agreement = acceptTos(world, tokenOf(request))
    if (!agreement) return sendProblem(reply, 404, 'unknown_link', 'Link not found.')
    const candidates = [queryValue(request, 'iframe-origin'), ...reportedOrigins(request)]
    return reply.header('cache-control', 'no-store').send({
      signedAgreementId: agreement.signedAgreementId,
      targetOrigin: chooseTargetOrigin(candidates, embedOrigins),
      continueTo: redirect ? withParameter(redirect.url, 'signed_agreement_id', agreement.signedAgreementId) : null,
    })
  })
}
