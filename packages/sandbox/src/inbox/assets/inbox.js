// Keeps the inbox page live: fetches the messages once a second (the ETag makes most answers empty), renders changes, and
// sends the settings that a person chooses.
import { deliveryItem } from './deliveries.js'

const byId = (id) => document.getElementById(id)
const base = `/inbox/${document.querySelector('.inbox').dataset.name}`
const address = new URL(base, window.location.origin).href
const pollMs = 1000
const shownMax = 100

const answerSettings = {
  ok: { respondWith: 200, delayMs: 0, failNext: 0 },
  error: { respondWith: 500, delayMs: 0, failNext: 0 },
  gone: { respondWith: 410, delayMs: 0, failNext: 0 },
  timeout: { respondWith: 200, delayMs: 30_000, failNext: 0 },
}

const openNumbers = new Set()
const drawn = new Map()
let etag = ''
let newest

const request = async (path, method, body) => {
  const response = await fetch(base + path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).message ?? 'The sandbox refused this.')
}

/** Runs what a person chose. Never rejects: the page shows the failure. */
const act = async (action) => {
  byId('problem').hidden = true
  try {
    await action()
    await refresh()
  } catch (error) {
    byId('problem').textContent = error.message
    byId('problem').hidden = false
  }
}

const currentAnswer = ({ respondWith, delayMs }) => {
  if (delayMs >= 15_000) return 'timeout'
  return Object.keys(answerSettings).find((name) => answerSettings[name].respondWith === respondWith && delayMs === 0)
}

const describeAnswer = ({ respondWith, delayMs, failNext }) => {
  const answer = delayMs > 0 ? `${respondWith} after ${delayMs / 1000} s` : String(respondWith)
  return failNext > 0 ? `The next ${failNext} get 500, then ${answer}.` : `Deliveries get ${answer}.`
}

const showSettings = (settings) => {
  const chosen = currentAnswer(settings)
  for (const input of document.querySelectorAll('input[name="answer"]')) input.checked = input.value === chosen
  const text = describeAnswer(settings)
  if (byId('answer-state').textContent !== text) byId('answer-state').textContent = text
  const { secretCount } = settings
  byId('secret-state').textContent = secretCount === 0 ? 'None' : `${secretCount} set`
  byId('secret-state').className = secretCount === 0 ? 'badge' : 'badge success'
  byId('forget-secrets').hidden = secretCount === 0
}

/** Keeps unchanged items, so that focus, selection and scroll positions stay. */
const itemFor = (message) => {
  const known = drawn.get(message.number)
  if (known && known.status === message.status && known.verdict === message.verdict) return known.item
  const item = deliveryItem(message, openNumbers.has(message.number), (open) =>
    open ? openNumbers.add(message.number) : openNumbers.delete(message.number),
  )
  if (known) known.item.replaceWith(item)
  drawn.set(message.number, { item, status: message.status, verdict: message.verdict })
  return item
}

const showMessages = ({ count, data }) => {
  const list = byId('list')
  const items = data.map(itemFor)
  const kept = new Set(data.map((message) => message.number))
  for (const [number, { item }] of drawn) {
    if (kept.has(number)) continue
    item.remove()
    drawn.delete(number)
    openNumbers.delete(number)
  }
  items.forEach((item, index) => {
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null)
  })
  byId('empty').hidden = count > 0
  byId('clear').hidden = count === 0
  byId('count').textContent = count > data.length ? `newest ${data.length} of ${count}` : count || ''
}

const announce = (data) => {
  const fresh = newest === undefined ? 0 : data.filter((message) => message.number > newest).length
  newest = data[0]?.number ?? newest ?? 0
  if (fresh > 0) byId('announcer').textContent = fresh === 1 ? '1 new delivery' : `${fresh} new deliveries`
}

const showLive = (isLive) => {
  byId('live').textContent = isLive ? 'Live' : 'Reconnecting'
  byId('live').classList.toggle('lost', !isLive)
}

const refresh = async () => {
  const response = await fetch(`${base}/messages?limit=${shownMax}`, { headers: { 'if-none-match': etag } })
  if (response.status === 304) return
  if (!response.ok) throw new Error(`The sandbox answered ${response.status}.`)
  etag = response.headers.get('etag') ?? ''
  const answer = await response.json()
  showSettings(answer.settings)
  announce(answer.data)
  showMessages(answer)
}

const poll = async () => {
  if (!document.hidden) {
    try {
      await refresh()
      showLive(true)
    } catch {
      showLive(false)
    }
  }
  setTimeout(poll, pollMs)
}

byId('address').textContent = address
byId('try').textContent = `curl -d '{"hello":"world"}' ${address}`
byId('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(address)
  byId('copy').textContent = 'Copied'
})
byId('answers').addEventListener('change', (event) =>
  act(() => request('/settings', 'PUT', answerSettings[event.target.value])),
)
byId('fail-next').addEventListener('click', () => act(() => request('/settings', 'PUT', { failNext: 3 })))
byId('clear').addEventListener('click', () => act(() => request('/messages', 'DELETE')))
byId('secret-form').addEventListener('submit', (event) => {
  event.preventDefault()
  const secret = byId('secret').value.trim()
  void act(async () => {
    await request('/settings', 'PUT', { addSecret: secret })
    byId('secret').value = ''
  })
})
byId('forget-secrets').addEventListener('click', () => act(() => request('/settings', 'PUT', { secrets: [] })))
byId('controls').inert = false
await poll()
