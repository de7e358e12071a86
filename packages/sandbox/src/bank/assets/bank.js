// Keeps the page of a deposit current: fetches the page again and puts its live parts in place where they changed, so
// that nothing flashes and the focus stays, until nothing more can follow.
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
    // The button that had the focus may be gone: the heading is where a reader starts again.
    if (hadFocus) document.getElementById('title').focus()
  }
}

const say = (text) => {
  const problem = document.getElementById('problem')
  problem.textContent = text
  problem.hidden = text === ''
}

/** True when asking again makes sense. */
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
