// The Accept button: accepts, sends a message to the embedding or opening page, shows the result, follows the redirect.
import { post, runFrom, showContinue, showResult, tell } from './hosted.js'

const nextSteps = {
  frame: 'You can continue on the page that embeds this page.',
  'frame-unknown':
    'The page that embeds this page was not notified, because its origin is not an allowed embed origin.',
  opener: 'You can close this window and continue where you came from.',
  nobody: 'You can close this page.',
}

const button = document.getElementById('accept')

document.getElementById('action-bar').inert = false

button.addEventListener('click', () =>
  runFrom(button, async () => {
    const answer = await post({})
    const told = tell({ signedAgreementId: answer.signedAgreementId }, answer)
    document.getElementById('agreement').textContent = answer.signedAgreementId
    document.getElementById('done-next').textContent =
      answer.continueTo === null ? nextSteps[told] : `Redirecting to ${new URL(answer.continueTo).host} …`
    showContinue(answer.continueTo)
    showResult()
    if (answer.continueTo !== null) window.location.assign(answer.continueTo)
  }),
)
