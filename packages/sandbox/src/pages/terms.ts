// The text of the invented terms. Its length is realistic for integrators, and it says that accepting has no legal effect.

type TermsSection = { heading: string; paragraphs: readonly string[] }

export const termsVersion = 'Version 2, sandbox edition'

export const termsInShort: readonly string[] = [
  'This is a simulation for developers. Accepting has no legal effect.',
  'No account is opened, no money moves and nobody checks your identity.',
  'Please do not type real personal data anywhere in this sandbox.',
]

export const termsSections: readonly TermsSection[] = [
  {
    heading: 'Who we are',
    paragraphs: [
      'Sandbox Provider is an invented payment provider. It exists only in the software that shows you this page, and replaces the regulated provider that your application uses in production.',
    ],
  },
  {
    heading: 'What you agree to',
    paragraphs: [
      'In production, a page like this one asks you to accept the agreement between you and the provider that holds and converts your funds. Here, accepting creates a signed agreement with an identifier, and the application that sent you receives that identifier.',
      'Accepting a second time changes nothing: the same agreement and the same identifier are returned.',
    ],
  },
  {
    heading: 'Your account and your identity',
    paragraphs: [
      'A real provider must know who you are and may ask for a document, your address and the source of your funds. The sandbox decides by fixed rules and keeps no identity data.',
    ],
  },
  {
    heading: 'Deposits, conversion and fees',
    paragraphs: [
      'Account numbers shown by the sandbox belong to no bank. Deposits, exchange rates, fees and transaction hashes are invented, so never send money to these accounts.',
    ],
  },
  {
    heading: 'Acceptable use',
    paragraphs: ['Use the sandbox to build and test. Do not present it to customers as a real financial service.'],
  },
  {
    heading: 'Changes and ending',
    paragraphs: [
      'All data here can be deleted at any time, for example when the sandbox restarts. You can stop using the sandbox at any time, without canceling anything.',
    ],
  },
]
