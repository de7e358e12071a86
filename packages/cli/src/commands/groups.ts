// The nouns of the command line.

/** What the words with commands below them are about. */
export const groups: Readonly<Record<string, string>> = {
  fixtures: 'worlds of end-users, accounts and deposits',
  profiles: 'deployments that you signed in to',
  events: 'what happened',
  logs: 'requests of your API keys',
  'end-users': 'people and companies that you onboard',
  'onboarding-links': 'links by which end-users onboard',
  branding: 'how the pages look that your end-users see',
  'virtual-accounts': 'bank details whose deposits are paid out',
  deposits: 'payments into virtual accounts',
  'webhook-url': 'the address of a business that needs one endpoint only',
  'webhook-endpoints': 'addresses that events are sent to',
  replays: 'ranges of events that are sent again',
  deliveries: 'events on their way to endpoints',
  'api-keys': 'your API keys',
  requests: 'requests of your API keys, by pages',
  customers: 'businesses, by the operations of the API (operator)',
  operator: 'the deployment: provider, relay, storage, held events (operator)',
  sandbox: 'what happens at the emulated provider',
  customer: 'businesses that may call the API (operator)',
  key: 'API keys of a business (operator)',
  audit: 'who did what (operator)',
  secrets: 'deployment secrets (operator)',
  provider: 'the connection to the provider (operator)',
}
