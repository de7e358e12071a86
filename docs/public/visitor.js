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

// A language that is chosen in a guide is chosen in the reference, and the other way round.
const samples = { curl: 'code-sample:bash:0', TypeScript: 'code-sample:typescript:1', Python: 'code-sample:python:2' }
addEventListener('change', ({ target }) => {
  const label = Object.keys(samples).find((name) => samples[name] === target.value)
  if (label) localStorage.setItem('starlight-synced-tabs__language', label)
})
for (const type of ['click', 'keyup']) {
  addEventListener(type, ({ target }) => {
    const sample = samples[target.closest?.('[data-sync-key="language"] [role="tab"]')?.textContent.trim()]
    if (sample) localStorage.setItem('starlight-openapi-snippet-id', sample)
  })
}

// The address of this server, and on a local world the key of its reader, stand in the examples, also when they are copied.
const examples = document.querySelectorAll('pre code')
if (examples.length > 0) {
  const answer = await fetch('/docs/visitor.json').catch(() => null)
  const { apiKey } = answer?.ok ? await answer.json() : {}
  const fill = (text) => {
    const here = text.replaceAll(/http:\/\/127\.0\.0\.1:8080|\$CAUSEWAY_URL\b/g, location.origin)
    return apiKey ? here.replaceAll(/svc_test_…|\$CAUSEWAY_API_KEY\b|\$API_KEY\b/g, apiKey) : here
  }
  for (const example of examples) {
    const texts = document.createTreeWalker(example, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const filled = fill(texts.currentNode.data)
      if (filled !== texts.currentNode.data) texts.currentNode.data = filled
    }
  }
  for (const button of document.querySelectorAll('button[data-code]')) button.dataset.code = fill(button.dataset.code)
}
