// What the pages do for their reader. Each of them is whole without it.

// The search is built when the browser is idle: one that is never idle builds it after a second.
const whenIdle = window.requestIdleCallback
if (whenIdle) window.requestIdleCallback = (run, options) => whenIdle(run, { timeout: 1000, ...options })

// `/` opens the search, as its button does. The button is called by all that stands on it.
const search = document.querySelector('site-search button[data-open-modal]')
search?.setAttribute('aria-label', search.textContent.replaceAll(/\s+/g, ' ').trim())
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest?.('input, textarea, select, [contenteditable]')) return
  event.preventDefault()
  search?.click()
})

// The entry of this page is in view in the list of pages.
const entry = document.querySelector('.sidebar-pane a[aria-current="page"]')
const { top = 0, bottom = 0 } = entry?.getBoundingClientRect() ?? {}
if (bottom > innerHeight) entry.closest('.sidebar-pane').scrollTop += top - innerHeight / 2

// The page as Markdown goes to the clipboard, where the browser allows that; else the link opens it.
const copyPage = navigator.clipboard && document.querySelector('a.copy-page')
copyPage?.addEventListener('click', async (event) => {
  event.preventDefault()
  const answer = await fetch(copyPage.href)
  await navigator.clipboard.writeText(await answer.text())
  copyPage.textContent = 'Copied'
  setTimeout(() => (copyPage.textContent = 'Copy page'), 2000)
})

// A link to a heading also opens the part below it that is folded.
const unfold = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  let part = target?.closest('.sl-heading-wrapper')?.nextElementSibling
  while (part && !part.matches('details, .sl-heading-wrapper')) part = part.nextElementSibling
  if (part?.matches('details')) part.open = true
}
addEventListener('hashchange', unfold)
unfold()

// The examples have the URL of this server. In a local environment, they have the URL of its sandbox, and a copy has the key of
// its reader.
const examples = document.querySelectorAll('pre code, .sl-markdown-content code')
if (examples.length > 0) {
  const response = await fetch('/docs/visitor.json').catch(() => null)
  const { apiKey, sandboxUrl } = response?.ok ? await response.json() : {}
  const withUrls = (text) => {
    const filled = text.replaceAll(/http:\/\/127\.0\.0\.1:8080|\$CAUSEWAY_URL\b/g, location.origin)
    return sandboxUrl ? filled.replaceAll(/http:\/\/127\.0\.0\.1:8081|\$SANDBOX_URL\b/g, sandboxUrl) : filled
  }
  for (const example of examples) {
    const texts = document.createTreeWalker(example, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const filled = withUrls(texts.currentNode.data)
      if (filled !== texts.currentNode.data) texts.currentNode.data = filled
    }
  }
  for (const button of document.querySelectorAll('button[data-code]')) {
    const code = withUrls(button.dataset.code)
    button.dataset.code = apiKey ? code.replaceAll(/svc_test_…|\$CAUSEWAY_API_KEY\b|\$API_KEY\b/g, apiKey) : code
    if (apiKey && button.dataset.code.includes(apiKey)) button.title = 'Copy with your API key'
  }
}
