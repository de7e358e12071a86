// The packed SDK by `require`.
const sdk = require('@causeway/sdk')
const onboarding = require('@causeway/sdk/onboarding')
const terms = require('@causeway/sdk/terms')
const webhooks = require('@causeway/sdk/webhooks')

if (typeof terms.openTerms !== 'function') throw new Error('the terms cannot be loaded without a browser')
if (typeof onboarding.mountOnboarding !== 'function')
  throw new Error('the onboarding cannot be loaded without a browser')
Promise.all([import('@causeway/sdk'), import('./story.mjs')])
  .then(([twin, { story }]) => story(sdk, webhooks, twin))
  .catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
