// What a person sees who opens the address of this service in a browser.

import { type Html, html } from '../../platform/http/pages/page.ts'

/** @param origin of this server; empty where it is not known */
export function landing(origin: string): Html {
  return html`<h1>Causeway is running.</h1>
<p class="lead">Onboard your users, give them bank accounts that pay out in stablecoins, and hear of every deposit by a signed event.</p>
<ul class="cards">
<li><a href="/docs"><strong>API reference</strong><span>Every operation, its fields and its errors, each with an example to copy.</span></a></li>
<li><a href="/docs/errors"><strong>Errors</strong><span>What each error code means and what to do about it.</span></a></li>
<li><a href="/v0/openapi.json"><strong>OpenAPI document</strong><span>For client generators, and for tests of your own.</span></a></li>
<li><a href="/readyz"><strong>Readiness</strong><span>Whether this server takes requests at the moment.</span></a></li>
</ul>
<h2>First request</h2>
<p>An API key tells who is calling. This one answers with its business and scopes:</p>
<pre><code>curl -H "Authorization: Bearer $API_KEY" ${origin}/v0/whoami</code></pre>`
}
