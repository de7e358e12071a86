// KYC data and papers of a person and of a company that do not exist, made in the browser: nobody's papers are shipped or uploaded.

import type { Body } from '@causeway/sdk'

const [paperWidth, paperHeight] = [640, 400]

/** A paper that nobody takes for one. @returns a data URI */
function inventedPaper(title: string): string {
  const canvas = document.createElement('canvas')
  canvas.width = paperWidth
  canvas.height = paperHeight
  const pen = canvas.getContext('2d')
  if (pen !== null) {
    pen.fillStyle = '#dfe7ea'
    pen.fillRect(0, 0, paperWidth, paperHeight)
    pen.fillStyle = '#0f766e'
    pen.fillRect(0, 0, paperWidth, 72)
    pen.fillStyle = '#ffffff'
    pen.font = 'bold 30px sans-serif'
    pen.fillText(title, 24, 47)
    pen.fillStyle = '#5b6770'
    pen.font = 'bold 84px sans-serif'
    pen.fillText('SPECIMEN', 96, 250)
  }
  return canvas.toDataURL('image/png')
}

/** @param mail the part before the @: its end decides the verdict */
export function inventedPerson(mail: string, signedAgreementId: string | null): Body<'submitKyc'> {
  return {
    type: 'individual',
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: `${mail}@example.com`,
    phone: '+12223334444',
    birth_date: '1990-12-10',
    residential_address: {
      street_line_1: '1 Analytical Way',
      city: 'San Francisco',
      subdivision: 'CA',
      postal_code: '94105',
      country: 'USA',
    },
    identifying_information: [
      { type: 'ssn', issuing_country: 'usa', number: '123-45-6789' },
      {
        type: 'drivers_license',
        issuing_country: 'usa',
        number: 'D1234567',
        image_front: inventedPaper('DRIVING LICENCE'),
        image_back: inventedPaper('DRIVING LICENCE, BACK'),
      },
    ],
    endorsements: ['base', 'sepa', 'spei'],
    ...(signedAgreementId !== null && { signed_agreement_id: signedAgreementId }),
  }
}

const companyAddress = {
  street_line_1: '1 Analytical Street',
  city: 'New York',
  subdivision: 'NY',
  postal_code: '10001',
  country: 'USA',
}

/** With one director, who owns it. @param mail the part before the @: its end decides the verdict */
export function inventedCompany(mail: string, signedAgreementId: string | null): Body<'submitKyc'> {
  return {
    type: 'business',
    business_legal_name: 'Analytical Engines Inc.',
    business_trade_name: 'Analytical Engines',
    business_description: 'Builds engines',
    business_type: 'corporation',
    business_industry: ['541511'],
    email: `${mail}@example.com`,
    registered_address: companyAddress,
    physical_address: companyAddress,
    is_dao: false,
    has_material_intermediary_ownership: false,
    account_purpose: 'treasury_management',
    source_of_funds: 'sales_of_goods_and_services',
    identifying_information: [{ type: 'ein', issuing_country: 'USA', number: '12-3456789' }],
    documents: [{ purposes: ['business_formation'], file: inventedPaper('CERTIFICATE') }],
    associated_persons: [
      {
        first_name: 'Charles',
        last_name: 'Babbage',
        email: `director-of-${mail.replace(/\+.*$/, '')}@example.com`,
        residential_address: companyAddress,
        birth_date: '1980-12-26',
        identifying_information: [{ type: 'ssn', issuing_country: 'USA', number: '219-09-9999' }],
        has_ownership: true,
        has_control: true,
        is_signer: true,
        title: 'Director',
      },
    ],
    ...(signedAgreementId !== null && { signed_agreement_id: signedAgreementId }),
  }
}
