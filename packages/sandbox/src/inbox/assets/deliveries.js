// Renders deliveries. Every value of a sender is set by textContent, so no value is parsed as markup.

const element = (tag, className, text) => {
  const node = document.createElement(tag)
  if (className) node.className = className
  if (text !== undefined) node.textContent = text
  return node
}

const verdictTexts = {
  valid: ['success', 'Verified', 'The signature matches the body and a secret of this inbox.'],
  no_secret: ['', 'Not checked', 'No signing secret is set for this inbox.'],
  headers_missing: ['danger', 'Unsigned', 'A signature header is missing.'],
  timestamp_outside_tolerance: ['danger', 'Too old', 'The timestamp is more than five minutes away from now.'],
  signature_mismatch: [
    'danger',
    'Bad signature',
    'The signature does not match the body under any secret of this inbox: forged, altered, or signed for another endpoint.',
  ],
}

const statusBadge = ({ status }) => {
  if (status === null) return element('span', 'badge warning', 'No answer')
  return element('span', `badge ${status < 300 && status >= 200 ? '' : 'danger'}`, `Answered ${status}`)
}

const prettyBody = ({ body, truncated }) => {
  if (truncated) return body
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** Sorts the headers: those of the delivery first, those of HTTP after them. */
const byMeaning = ([name], [other]) => Number(/^(webhook|svc)-/.test(other)) - Number(/^(webhook|svc)-/.test(name))

const headerTable = (headers) => {
  const list = element('dl', 'headers')
  for (const [name, value] of Object.entries(headers).sort(byMeaning)) {
    const row = element('div')
    row.append(element('dt', '', name), element('dd', '', value))
    list.append(row)
  }
  return list
}

/** Renders the details of an opened delivery. Only when it is opened, because each body may have 64 KiB. */
const details = (message) => {
  const panel = element('div', 'panel')
  panel.append(element('p', 'muted', verdictTexts[message.verdict][2]))
  panel.append(element('h3', '', 'Body'))
  if (message.truncated) {
    panel.append(element('p', 'notice', `The first 64 KiB of ${message.bodyBytes.toLocaleString()} bytes.`))
  }
  const body = element('pre', 'code')
  body.tabIndex = 0
  body.append(element('code', '', prettyBody(message) || '(empty)'))
  panel.append(body, element('h3', '', 'Headers'), headerTable(message.headers))
  return panel
}

const badges = (message) => {
  const [tone, label] = verdictTexts[message.verdict]
  const group = element('span', 'badges')
  group.append(element('span', `badge ${tone}`, label))
  if (message.duplicate) group.append(element('span', 'badge warning', 'Duplicate'))
  if (message.attempt !== null && message.attempt > 1) {
    group.append(element('span', 'badge', `Attempt ${message.attempt}`))
  }
  group.append(statusBadge(message))
  return group
}

/** Allows a line break after a dot or an underscore, so that a narrow screen breaks no word. */
const eventName = (type) => {
  const name = element('span', 'event')
  for (const part of type.split(/(?<=[._])/)) name.append(part, document.createElement('wbr'))
  return name
}

const summary = (message) => {
  const summaryText = element('span', 'summary-text')
  const received = new Date(message.receivedAt)
  const time = element('time', '', received.toLocaleTimeString())
  time.dateTime = message.receivedAt
  time.title = received.toLocaleString()
  const origin = [message.sequence !== null && `No. ${message.sequence}`, message.externalUserId].filter(Boolean)
  const context = element('span', 'context muted')
  context.append(time, ...origin.map((text) => ` · ${text}`))
  summaryText.append(eventName(message.eventType ?? 'No event type'), context)
  return summaryText
}

/** Renders one list item. `isOpen` and `onToggle` keep it open when the list is rendered again. */
export const deliveryItem = (message, isOpen, onToggle) => {
  const item = element('li', 'delivery')
  const button = element('button', 'toggle')
  button.type = 'button'
  button.append(summary(message), badges(message))
  let panel
  const show = (open) => {
    button.setAttribute('aria-expanded', String(open))
    if (open && !panel) {
      panel = details(message)
      item.append(panel)
    }
    if (panel) panel.hidden = !open
  }
  button.addEventListener('click', () => {
    const open = button.getAttribute('aria-expanded') !== 'true'
    show(open)
    onToggle(open)
  })
  item.append(button)
  show(isOpen)
  return item
}
