// Keeps the page of a deposit current: fetches the page again and replaces the live parts that changed, so that nothing
// flashes and the focus stays. It stops when no step can follow.
const pollMs = 600

const parts = () => document.querySelectorAll('[data-live]')

const isOver = () => document.querySelector('[data-final]') !== null

const show = (markup) => {
  const fresh = new DOMParser().parseFromString(markup, 'text/html')
  for (const part of parts()) {
    const next = fresh.getElementById(part.id)
    if (next === null || next.innerHTML === part.innerHTML) continue
    const hadFocus = part.contains(document.activeElement)
    part.replaceChildren(...next.childNodes)
    // The focused button may be gone. A screen reader then continues at the heading.
    if (hadFocus) document.getElementById('title').focus()
  }
}

const say = (text) => {
  const problem = document.getElementById('problem')
  problem.textContent = text
  problem.hidden = text === ''
}

/** Tells whether the page may change again. */
const refresh = async () => {
  const response = await fetch(window.location.pathname.replace(/\/advance$/, ''))
  if (response.status === 404) {
    say('This deposit is gone: the sandbox was reset.')
    return false
  }
  if (!response.ok) throw new Error(`The sandbox answered ${response.status}.`)
  show(await response.text())
  return !isOver()
}

let wasLost = false

const poll = async () => {
  let goesOn = true
  if (!document.hidden) {
    try {
      goesOn = await refresh()
      if (wasLost && goesOn) say('')
      wasLost = false
    } catch {
      wasLost = true
      say('The sandbox could not be reached. Trying again …')
    }
  }
  if (goesOn) setTimeout(poll, pollMs)
}

if (!isOver()) setTimeout(poll, pollMs)
