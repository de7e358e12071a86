// The packed SDK by `import`.
import { createRequire } from 'node:module'
import * as sdk from '@causeway/sdk'
import * as onboarding from '@causeway/sdk/onboarding'
import * as terms from '@causeway/sdk/terms'
import * as webhooks from '@causeway/sdk/webhooks'
import { story } from './story.mjs'

if (typeof terms.openTerms !== 'function') throw new Error('the terms cannot be loaded without a browser')
if (typeof onboarding.mountOnboarding !== 'function')
  throw new Error('the onboarding cannot be loaded without a browser')
await story(sdk, webhooks, createRequire(import.meta.url)('@causeway/sdk'))
