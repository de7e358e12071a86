// The shared script of the hosted pages: requests to the server, messages to the embedding or opening page, results. The
// server decides which origin may receive a message. This script only reports the origins that it sees.

const byId = (id) => document.getElementById(id)

const isFramed = () => window.parent !== window

/** Returns the origins that may have embedded or opened this page, the most certain first. */
const seenOrigins = () => {
  const origins = []
  const ancestor = window.location.ancestorOrigins?.[0]
  if (ancestor) origins.push(ancestor)
  if (URL.canParse(document.referrer)) origins.push(new URL(document.referrer).origin)
  return origins
}

/** Posts to the page's own address. Throws an Error with a text for the person. */
export const post = async (values) => {
  let response
  try {
    response = await fetch(window.location.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...values, origins: seenOrigins() }),
    })
  } catch {
    throw new Error('The sandbox could not be reached. Check that it is running and try again.')
  }
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.message ?? 'Something went wrong. Try again.')
  return answer
}

/** Sends `message` to the embedding page, or to the opener unless a redirect follows. Returns who received it. */
export const tell = (message, { targetOrigin, continueTo }) => {
  if (targetOrigin === null) return isFramed() ? 'frame-unknown' : 'nobody'
  if (isFramed()) {
    window.parent.postMessage(message, targetOrigin)
    return 'frame'
  }
  if (window.opener && continueTo === null) {
    window.opener.postMessage(message, targetOrigin)
    return 'opener'
  }
  return 'nobody'
}

/** Runs `action` once at a time, marks the button busy and shows a failure: never rejects. */
export const runFrom = async (button, action) => {
  if (button.getAttribute('aria-busy') === 'true') return
  const problem = byId('problem')
  button.setAttribute('aria-busy', 'true')
  problem.hidden = true
  try {
    await action()
  } catch (error) {
    problem.textContent = error.message
    problem.hidden = false
  } finally {
    button.removeAttribute('aria-busy')
  }
}

/** Replaces the form by the result and moves the focus there, so that a screen reader announces the result. */
export const showResult = () => {
  byId('pending').hidden = true
  byId('done').hidden = false
  byId('done-title').focus()
  window.scrollTo(0, 0)
}

export const showContinue = (continueTo) => {
  const link = byId('continue')
  link.hidden = continueTo === null
  if (continueTo === null) return
  link.href = continueTo
  link.textContent = `Continue to ${new URL(continueTo).host}`
}
