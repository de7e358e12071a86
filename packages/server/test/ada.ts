// Ada, as her submission describes her: the emulator approves her for every rail. Imports nothing, so the proofs use her too.

type Papers = {
  agreement: string | null
  /** Decides the emulator's verdict by its suffix, e.g. `ada+reject`. */
  mail: string
  /** A data URL. */
  image: string
  /** In values that no response may repeat. */
  mark: string
}

export function adaBody({ agreement, mail, image, mark }: Papers): Record<string, unknown> {
  return {
    type: 'individual',
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: `${mail}@example.com`,
    phone: '+12223334444',
    birth_date: '1990-12-10',
    residential_address: {
      street_line_1: `1 Analytical Way ${mark}`,
      city: `San Francisco ${mark}`,
      subdivision: 'CA',
      postal_code: '94105',
      country: 'USA',
    },
    identifying_information: [
      { type: 'ssn', issuing_country: 'usa', number: '123-45-6789' },
      {
        type: 'drivers_license',
        issuing_country: 'usa',
        number: `${mark}D1234567`,
        image_front: image,
        image_back: image,
      },
    ],
    endorsements: ['base', 'sepa', 'spei'],
    ...(agreement === null ? {} : { signed_agreement_id: agreement }),
  }
}
