// The first words of the command line: what each group is about, and the sections in which the help lists commands and groups.

/** Summaries of the groups of commands. */
export const groups: Readonly<Record<string, string>> = {
  fixtures: 'create end-users, accounts and deposits from a file',
  profiles: 'manage the deployments that you signed in to',
  events: 'list, inspect and resend events',
  deliveries: 'list and resend deliveries to endpoints',
  replays: 'manage replays of event ranges',
  'webhook-endpoints': 'manage webhook endpoints',
  'webhook-url': 'manage the webhook URL of a business with one endpoint',
  'end-users': 'manage the people and companies that you onboard',
  'onboarding-links': 'manage links to the onboarding page',
  branding: 'manage the look of the pages that end-users see',
  'virtual-accounts': 'manage virtual accounts',
  deposits: 'list and inspect deposits',
  'information-requests': "list the provider's requests for information",
  reports: 'reconcile the deposits of a day',
  'api-keys': 'manage your API keys',
  'console-links': 'manage one-time links into the console',
  'sign-in': 'set where your staff signs in to the console',
  staff: 'list staff and sign them out',
  'alert-channels': 'manage where alerts are sent',
  requests: 'list and follow the requests of your API keys',
  'audit-log': 'list who changed what, and verify the log',
  customers: 'manage businesses and their API keys (operator)',
  operator: 'inspect provider, relay, storage and held events (operator)',
  sandbox: 'simulate deposits, KYC decisions and provider errors',
  secrets: 'manage deployment secrets (operator)',
  provider: 'manage the connection to the provider (operator)',
}

const sections: Readonly<Record<string, readonly string[]>> = {
  'Get started': ['dev', 'open', 'status', 'demo', 'doctor', 'login', 'logout', 'whoami', 'profiles'],
  'Webhooks and events': [
    ...['listen', 'trigger', 'verify', 'send'],
    ...['events', 'deliveries', 'replays', 'webhook-endpoints', 'webhook-url'],
  ],
  Objects: [
    ...['end-users', 'kyc-requirements', 'onboarding-links', 'branding'],
    ...['virtual-accounts', 'deposits', 'information-requests', 'reports'],
  ],
  'Your business': [
    ...['api-keys', 'console-links', 'sign-in', 'staff', 'alert-channels', 'alerts', 'alert-messages'],
    ...['requests', 'audit-log', 'stats', 'capabilities'],
  ],
  Sandbox: ['sandbox', 'fixtures'],
  Operate: ['serve', 'migrate', 'customers', 'operator', 'provider', 'secrets', 'after-restore'],
  'Shell and assistants': ['completion', 'mcp', 'commands', 'version', 'help'],
}

/** The order of the help. */
export const sectionOrder = Object.values(sections).flat()

/** @returns the heading above a first word in the help */
export const sectionOf = (word: string): string =>
  `${Object.keys(sections).find((title) => sections[title]?.includes(word)) ?? 'Other'}:`
