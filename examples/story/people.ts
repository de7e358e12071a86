// Data to submit. Nobody here exists, and their papers are grey pictures.

import type { KycBusiness, KycIndividual } from '@causeway/sdk'
import { dataUri, png } from '../png.ts'

/** At least as wide and high as `images.pixelsMin` of `GET /v0/kyc-requirements`. */
export const photo = (pixels = 240) => dataUri(png(pixels))

export const passport = (number: string) => ({
  type: 'passport',
  issuing_country: 'FRA',
  number,
  expiration: '2034-05-31',
  image_front: photo(),
})

export const frenchTaxId = { type: 'spi', issuing_country: 'FRA', number: '1234567890123' }

export const marie = (email: string): KycIndividual => ({
  first_name: 'Marie',
  last_name: 'Curie',
  email,
  birth_date: '1987-11-07',
  residential_address: { street_line_1: '12 rue Cuvier', city: 'Paris', postal_code: '75005', country: 'FRA' },
  nationalities: ['FRA', 'POL'],
  place_of_birth: { country: 'POL', city: 'Warsaw' },
  account_purpose: 'receive_salary',
  employment_status: 'employed',
  identifying_information: [frenchTaxId, passport('12AB34567')],
})

export const grace = (email: string): KycIndividual => ({
  first_name: 'Grace',
  last_name: 'Hopper',
  email,
  birth_date: '1986-12-09',
  residential_address: {
    street_line_1: '1 Compiler Street',
    city: 'New York',
    subdivision: 'NY',
    postal_code: '10001',
    country: 'USA',
  },
  identifying_information: [
    { type: 'ssn', issuing_country: 'USA', number: '123-45-6789' },
    { type: 'drivers_license', issuing_country: 'USA' }, // its two sides come as files
  ],
})

const berlin = { street_line_1: 'Unter den Linden 1', city: 'Berlin', postal_code: '10117', country: 'DEU' }

export const engines = (email: string): KycBusiness => ({
  type: 'business',
  business_legal_name: 'Analytical Engines GmbH',
  business_trade_name: 'Analytical Engines',
  business_type: 'llc',
  business_description: 'Builds engines that weave algebraic patterns',
  business_industry: ['541511'],
  primary_website: 'https://engines.example.com',
  email,
  incorporation_date: '2015-12-10',
  is_dao: false,
  has_material_intermediary_ownership: false,
  has_foreign_tax_registration: false,
  registered_address: berlin,
  physical_address: berlin,
  identifying_information: [
    { type: 'other', issuing_country: 'DEU', number: 'HRB 123456', description: 'Commercial register number' },
    { type: 'vat', issuing_country: 'DEU', number: 'DE123456789' },
  ],
  account_purpose: 'treasury_management',
  source_of_funds: 'sales_of_goods_and_services',
  documents: [
    { purposes: ['business_formation'], file: photo() },
    { purposes: ['ownership_information'], file: photo() },
    { purposes: ['evidence_of_good_standing'], file: photo() },
    { purposes: ['proof_of_signatory_authority'], file: photo() },
  ],
  associated_persons: [
    {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'ada@engines.example.com',
      birth_date: '1985-12-10',
      title: 'Managing director',
      has_control: true,
      has_ownership: true,
      is_signer: true,
      ownership_percentage: 60,
      residential_address: berlin,
      nationalities: ['GBR'],
      place_of_birth: { country: 'GBR', city: 'London' },
      identifying_information: [{ type: 'steuer_id', issuing_country: 'DEU', number: '12345678901' }, passport('P1')],
    },
    {
      first_name: 'Charles',
      last_name: 'Babbage',
      email: 'charles@engines.example.com',
      birth_date: '1971-12-26',
      has_control: false,
      has_ownership: true,
      is_signer: false,
      ownership_percentage: 40,
      residential_address: berlin,
      nationalities: ['GBR'],
      place_of_birth: { country: 'GBR', city: 'London' },
      identifying_information: [{ type: 'steuer_id', issuing_country: 'DEU', number: '10987654321' }, passport('P2')],
    },
  ],
})
