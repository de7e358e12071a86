// The simulated check: sends the chosen outcome, shows its meaning, and sends a message to the embedding page.
import { post, runFrom, showContinue, showResult, tell } from './hosted.js'

const byId = (id) => document.getElementById(id)
// The form is absent while the terms are not accepted and when the check is closed.
const form = byId('pending')

if (form) form.inert = false

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  void runFrom(byId('finish'), async () => {
    const answer = await post({ outcome: new FormData(form).get('outcome') })
    tell({ name: 'complete', metadata: { status: answer.status } }, answer)
    byId('done-emblem').className = `emblem ${answer.tone}`
    byId('done-title').textContent = answer.title
    byId('done-next').textContent = answer.text
    byId('redirect-note').hidden = answer.redirectProblem === null
    byId('redirect-note').textContent = `The redirect URL is not valid. ${answer.redirectProblem ?? ''}`
    showContinue(answer.continueTo)
    showResult()
  })
})

byId('again')?.addEventListener('click', () => window.location.reload())
