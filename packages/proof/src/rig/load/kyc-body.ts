// What an end-user of the load submits: a person whom the emulator approves for every rail of the stories.

import { identityMark } from '../verdict/names.ts'

/** A PNG of 200 by 200 pixels, in place of a paper: the least that is accepted. */
const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAMgAAADIAQAAAACFI5MzAAAAHElEQVR42u3BgQAAAADDoPlTX+EAVQEAAAAAfAYUUAABxFrmKwAAAABJRU5ErkJggg=='

export function kycBody(agreement: string, mail: string): object {
  return {
    type: 'individual',
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: `${mail}@example.com`,
    phone: '+12223334444',
    birth_date: '1990-12-10',
    residential_address: {
      street_line_1: `1 Analytical Way ${identityMark}`,
      city: `San Francisco ${identityMark}`,
      subdivision: 'CA',
      postal_code: '94105',
      country: 'USA',
    },
    identifying_information: [
      { type: 'ssn', issuing_country: 'usa', number: '123-45-6789' },
      {
        type: 'drivers_license',
        issuing_country: 'usa',
        number: `${identityMark}D1234567`,
        image_front: image,
        image_back: image,
      },
    ],
    endorsements: ['base', 'sepa', 'spei'],
    signed_agreement_id: agreement,
  }
}
