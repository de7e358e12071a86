// The simulated identity check: the person, the choice of an outcome, and the result. The page asks for no identity data
// and stores only the outcome.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '../../pages/html.ts'
import { renderPage, sendPage, unknownLink } from '../../pages/layout.ts'
import { chooseTargetOrigin, frameAncestors } from '../../pages/origins.ts'
import { parseRedirect } from '../../pages/redirects.ts'
import { bodyValue, queryText, queryValue, reportedOrigins, sendProblem } from '../../pages/requests.ts'
import { type KycOutcome, type KycSession, kycSession, submitKyc } from '../customers/hosted-pages.ts'
import type { PageContext } from './context.ts'
import { outcomeChoices, outcomesFor, statusTexts } from './kyc-texts.ts'

const tokenOf = (request: FastifyRequest): string => queryText(request, 'reference-id', 256) ?? ''

const facts = (session: KycSession): Html => html`<dl class="facts">
  <div><dt>${session.type === 'business' ? 'Business' : 'Name'}</dt><dd>${session.fullName ?? 'Not provided'}</dd></div>
  <div><dt>Email</dt><dd>${session.email ?? 'Not provided'}</dd></div>
  <div><dt>Status</dt><dd><span class="badge ${statusTexts(session.status).tone}">${statusTexts(session.status).label}</span></dd></div>
</dl>`

const introduction = (session: KycSession): Html => html`<p class="eyebrow">Simulated check</p>
  <h1>${session.type === 'business' ? 'Verify this business' : 'Verify your identity'}</h1>
  <p>${
    session.type === 'business'
      ? 'In production, this page checks the registration, the formation document and the people behind the business.'
      : 'In production, this page checks a document and a selfie.'
  } In this sandbox, you choose the result of the check. Nothing is uploaded and nothing is stored.</p>
  ${facts(session)}`

const choice = (outcome: KycOutcome, isFirst: boolean): Html => html`<label class="choice">
  <input type="radio" name="outcome" value="${outcome}"${isFirst && html` checked`}>
  <span class="choice-text"><strong>${outcomeChoices[outcome].label}</strong>
  <span class="muted">${outcomeChoices[outcome].effect}</span></span></label>`

const choices = ({ type }: KycSession): Html => {
  const { common, rare } = outcomesFor(type)
  return html`${common.map((outcome, index) => choice(outcome, index === 0))}
    <details class="more"><summary>More outcomes</summary>${rare.map((outcome) => choice(outcome, false))}</details>`
}

const form = (session: KycSession): Html => html`<form class="card" id="pending" inert>
  ${introduction(session)}
  <fieldset class="choices"><legend>Result of the check</legend>
    ${choices(session)}
  </fieldset>
  <p class="notice danger" id="problem" role="alert" hidden></p>
  <p class="actions"><button type="submit" class="button primary" id="finish">Finish check</button></p>
</form>`

const resultPanel = html`<section class="card result" id="done" hidden>
  <span class="emblem" id="done-emblem" aria-hidden="true"></span>
  <h1 id="done-title" tabindex="-1"></h1>
  <p id="done-next"></p>
  <p class="notice warning" id="redirect-note" hidden></p>
  <p class="actions"><a class="button primary" id="continue" hidden>Continue</a>
  <button type="button" class="button" id="again">Choose another outcome</button></p>
</section>`

const termsFirst = (session: KycSession, tosUrl: string | null): Html => html`<section class="card">
  ${introduction(session)}
  <div class="notice warning"><p><strong>Accept the terms first.</strong>
    The check can start after the Terms of Service are accepted.</p></div>
  ${tosUrl !== null && html`<p class="actions"><a class="button primary" href="${tosUrl}">Read the terms</a></p>`}
</section>`

const closed = (session: KycSession): Html => html`<section class="card">
  ${introduction(session)}
  <div class="notice"><p>${statusTexts(session.status).explanation}</p></div>
</section>`

/** Returns the link to the terms. It leads back to this page if this address is an acceptable redirect. */
const tosLinkFrom = (session: KycSession, request: FastifyRequest): string | null => {
  if (session.tosUrl === null) return null
  const link = new URL(session.tosUrl)
  const here = new URL(request.url, link.origin).href
  if (parseRedirect(here).ok) link.searchParams.set('redirect_uri', here)
  const iframeOrigin = queryText(request, 'iframe-origin', 512)
  if (iframeOrigin !== undefined) link.searchParams.set('iframe-origin', iframeOrigin)
  return link.href
}

const kycPage = (session: KycSession, request: FastifyRequest): string => {
  const stages = session.tosAccepted
    ? statusTexts(session.status).isClosed
      ? closed(session)
      : html`${form(session)}${resultPanel}`
    : termsFirst(session, tosLinkFrom(session, request))
  return renderPage({
    title: session.type === 'business' ? 'Business check' : 'Identity check',
    scripts: ['/assets/kyc.js'],
    main: stages,
  })
}

const finish = (request: FastifyRequest, reply: FastifyReply, { world, embedOrigins }: PageContext): FastifyReply => {
  const token = tokenOf(request)
  const session = kycSession(world, token)
  if (!session) return sendProblem(reply, 404, 'unknown_link', 'Link not found.')
  const offered = Object.values(outcomesFor(session.type)).flat()
  const outcome = offered.find((known) => known === bodyValue(request, 'outcome'))
  if (!outcome) return sendProblem(reply, 400, 'bad_outcome', `Choose one of ${offered.join(', ')}.`)
  if (!session.tosAccepted) return sendProblem(reply, 409, 'terms_not_accepted', 'Accept the Terms of Service first.')
  if (statusTexts(session.status).isClosed || !submitKyc(world, token, outcome)) {
    return sendProblem(reply, 409, 'check_closed', 'This check is closed. Reload the page.')
  }
  const redirect = session.redirectUri === null ? undefined : parseRedirect(session.redirectUri)
  return reply.header('cache-control', 'no-store').send({
    ...outcomeChoices[outcome].result,
    status: kycSession(world, token)?.status ?? session.status,
    targetOrigin: chooseTargetOrigin([queryValue(request, 'iframe-origin'), ...reportedOrigins(request)], embedOrigins),
    continueTo: redirect?.ok ? redirect.url.href : null,
    redirectProblem: redirect?.ok === false ? redirect.reason : null,
  })
}

export const registerKycPage = (scope: FastifyInstance, context: PageContext): void => {
  const ancestors = frameAncestors(context.embedOrigins)
  for (const path of ['/verify', '/widget']) {
    scope.get(path, (request, reply) => {
      const session = kycSession(context.world, tokenOf(request))
      if (!session) return sendPage(reply, 404, unknownLink, ancestors)
      return sendPage(reply, 200, kycPage(session, request), ancestors)
    })
    scope.post(path, (request, reply) => finish(request, reply, context))
  }
}
