// The page of the shop, in the browser.

import { mountOnboarding } from '@causeway/sdk/onboarding'

const status = document.getElementById('status')
const again = document.getElementById('again')
const place = document.getElementById('onboarding')
const ask = async (path, method) => (await fetch(path, { method })).json()

/** Asks the shop, which asks Causeway. */
async function lookAtShopper() {
  const { isVerified } = await ask('/shopper', 'GET')
  status.textContent = isVerified ? 'You are verified.' : 'Please go on.'
  return isVerified
}

async function showOnboarding() {
  again.hidden = true
  const { url } = await ask('/onboarding-link', 'POST')
  const mounted = mountOnboarding(place, {
    url,
    onState: (state) => {
      // The link has expired, or was opened in another tab.
      if (state !== 'ended') return
      mounted.unmount()
      again.hidden = false
    },
    onDone: async () => {
      if (await lookAtShopper()) mounted.unmount()
    },
  })
}

again.addEventListener('click', showOnboarding)
if (!(await lookAtShopper())) await showOnboarding()
