// Proves that the form of KYC data is judged in full and at once, that no message ever holds a value, and that what we
// do not know passes through.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isCountry, isInEea } from '../../../platform/values/country-codes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../platform/values/json.ts'
import { remedyOfRequirement } from '../requirements.rules.ts'
import type { KycType } from './country.rules.ts'
import { businessFields, individualFields } from './fields.rules.ts'
import {
  checkKycSubmission,
  defaultEndorsementsOf,
  missingForApproval,
  problemsMax,
  statementProblems,
} from './submission.rules.ts'

const nowMs = Date.UTC(2026, 1, 28, 12)

const dataUri = (bytes: number[] | Buffer, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
const png = dataUri([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
const pdf = dataUri(
  Buffer.from('%PDF-1.7\nxref\n0 1\ntrailer\n<< /Size 1 >>\nstartxref\n9\n%%EOF\n'),
  'application/pdf',
)
const address = {
  street_line_1: '1 Main Street',
  street_line_2: 'Flat 2',
  city: 'Austin',
  subdivision: 'TX',
  postal_code: '78701',
  country: 'USA',
}
const ssn = { type: 'ssn', issuing_country: 'USA', number: '078-05-1120' }
const passport = {
  type: 'passport',
  issuing_country: 'USA',
  number: 'X1234567',
  expiration: '2031-01-31',
  image_front: png,
  image_back: png,
}
const other = { type: 'other', issuing_country: 'ABW', number: '1', description: 'Census number' }

const person = {
  first_name: 'Ada',
  middle_name: 'B',
  last_name: 'Lovelace',
  transliterated_first_name: 'Ada',
  transliterated_middle_name: 'B',
  transliterated_last_name: 'Lovelace',
  email: 'ada@example.com',
  phone: '+12223334444',
  residential_address: address,
  transliterated_residential_address: address,
  birth_date: '1990-01-15',
  nationality: 'USA',
  nationalities: ['USA', 'GBR'],
  place_of_birth: { country: 'GBR', city: 'London' },
  verified_govid_at: '2026-01-01T10:00:00Z',
  verified_selfie_at: '2026-01-01T10:00:00.000+01:00',
  verified_database_at: '2026-01-01T10:00:00Z',
  verified_proof_of_address_at: '2026-01-01T10:00:00Z',
  kyc_screen: { screened_at: '2026-01-01T10:00:00Z', result: 'passed' },
  ofac_screen: { screened_at: '2026-01-01T10:00:00Z', result: 'passed' },
  liveness_check_selfies: [{ image: png }],
  identifying_information: [ssn, passport, other],
  documents: [{ purposes: ['proof_of_address', 'other'], file: pdf, description: 'A lease' }],
}

const customer = {
  signed_agreement_id: 'd536a227',
  has_accepted_terms_of_service: true,
  client_reference_id: 'eu_1',
  endorsements: ['base', 'sepa'],
}

const individual: JsonObject = {
  type: 'individual',
  ...customer,
  ...person,
  account_purpose: 'other',
  account_purpose_other: 'Rent',
  employment_status: 'employed',
  expected_monthly_payments_usd: '0_4999',
  acting_as_intermediary: false,
  most_recent_occupation: '132011',
  source_of_funds: 'salary',
}

const business: JsonObject = {
  type: 'business',
  ...customer,
  business_legal_name: 'Analytical Engines Ltd',
  transliterated_business_legal_name: 'Analytical Engines Ltd',
  business_trade_name: 'Engines',
  transliterated_business_trade_name: 'Engines',
  business_description: 'Makes engines.',
  business_type: 'llc',
  business_industry: ['541715'],
  primary_website: 'https://example.com',
  other_websites: ['https://example.org'],
  email: 'office@example.com',
  phone: '+442071838750',
  registered_address: address,
  transliterated_registered_address: address,
  physical_address: address,
  transliterated_physical_address: address,
  is_dao: false,
  incorporation_date: '2020-02-29',
  has_foreign_tax_registration: false,
  kyb_screen: { screened_at: '2026-01-01T10:00:00Z', result: 'passed' },
  verified_business_formation_at: '2026-01-01T10:00:00Z',
  verified_business_registry_at: '2026-01-01T10:00:00Z',
  verified_evidence_of_good_standing_at: '2026-01-01T10:00:00Z',
  verified_ownership_at: '2026-01-01T10:00:00Z',
  ownership_threshold: 25,
  has_material_intermediary_ownership: false,
  estimated_annual_revenue_usd: '0_99999',
  expected_monthly_payments_usd: 10_000,
  operates_in_prohibited_countries: false,
  account_purpose: 'payroll',
  account_purpose_other: 'Wages',
  high_risk_activities: ['none_of_the_above'],
  high_risk_activities_explanation: 'None',
  source_of_funds: 'owners_capital',
  source_of_funds_description: 'Savings',
  conducts_money_services: false,
  conducts_money_services_using_bridge: false,
  conducts_money_services_description: 'None',
  compliance_screening_explanation: 'None',
  regulated_activity: {
    regulated_activities_description: 'None',
    primary_regulatory_authority_country: 'GBR',
    primary_regulatory_authority_name: 'FCA',
    license_number: '1',
  },
  publicly_traded_listings: [{ market_identifier_code: 'XLON', stock_number: 'GB00', ticker: 'ENG' }],
  acting_as_intermediary: false,
  associated_persons: [
    {
      ...person,
      has_ownership: true,
      has_control: true,
      is_signer: true,
      is_director: true,
      title: 'CEO',
      ownership_percentage: 100,
      attested_ownership_structure_at: '2026-01-01T10:00:00Z',
      relationship_established_at: 1_700_000_000_000,
    },
  ],
  identifying_information: [{ type: 'ein', issuing_country: 'USA', number: '12-3456789' }],
  documents: [{ purposes: ['business_formation', 'ownership_information'], file: pdf }],
}

const bodies: [KycType, JsonObject][] = [
  ['individual', individual],
  ['business', business],
]

type Path = (string | number)[]

/** Every place in a body that holds a value, objects and arrays included. */
function* places(value: Json, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* places(item, [...path, index])
  else if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) yield* places(item, [...path, name])
}

function withValue(body: Json, path: Path, value: Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (Array.isArray(body)) return body.map((item, index) => (index === step ? withValue(item, rest, value) : item))
  assert.ok(isJsonObject(body))
  return { ...body, [step]: withValue(body[step] ?? null, rest, value) }
}

const paramOf = (path: Path) =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)

function problemsOf(body: unknown) {
  const checked = checkKycSubmission(body, { nowMs })
  return checked.ok ? [] : checked.problems
}

const paramsOf = (body: unknown) => problemsOf(body).map((problem) => problem.param)

test('a full individual and a full business are accepted, and come back as they were sent', () => {
  for (const [type, body] of bodies) {
    const sent = structuredClone(body) // the check changes what it is given
    assert.deepEqual(checkKycSubmission(body, { nowMs }), { ok: true, body: sent, type })
  }
})

test('the full bodies of this file hold every property there is a rule for', () => {
  assert.deepEqual(
    Object.keys(individualFields).filter((name) => !(name in individual)),
    [],
  )
  assert.deepEqual(
    Object.keys(businessFields).filter((name) => !(name in business)),
    [],
  )
})

test('a wrong value in any place is refused there, and no message holds it', () => {
  for (const [, body] of bodies) {
    for (const path of places(body)) {
      const canary = `canary${paramOf(path).length * 7919}x`
      const wrongAnywhere: Json[] = ['c'.repeat(40_000) + canary, `\u0000${canary}`, null, 1e300]
      for (const wrong of wrongAnywhere) {
        const near = problemsOf(withValue(body, path, wrong)).filter(({ param }) => param.startsWith(paramOf(path)))
        assert.ok(near.length > 0, `${paramOf(path)} accepts ${JSON.stringify(wrong).slice(0, 40)}`)
      }
      // These are wrong almost everywhere: a free text may well hold a data URI.
      const wrongMostly: Json[] = [
        { [canary]: canary },
        [{ [canary]: canary }],
        [canary],
        `data:image/png;base64,${canary}`,
      ]
      for (const wrong of [...wrongAnywhere, ...wrongMostly]) {
        for (const problem of problemsOf(withValue(body, path, wrong))) {
          assert.ok(!JSON.stringify(problem).includes('canary'), problem.message)
          assert.ok(problem.message.startsWith(problem.param), problem.message)
        }
      }
    }
  }
})

test('a random canary in random places of a body shows in no problem', () => {
  const canary = fc.stringMatching(/^[A-Za-z0-9]{12,20}$/)
  const all = bodies.flatMap(([, body]) => [...places(body)].map((path) => ({ body, path })))
  fc.assert(
    fc.property(fc.subarray(all, { minLength: 1, maxLength: 8 }), canary, (chosen, secret) => {
      for (const { body, path } of chosen) {
        for (const wrong of [secret, `${secret}@`, { [secret]: secret }, [secret], `2026-${secret}`]) {
          assert.ok(!JSON.stringify(problemsOf(withValue(body, path, wrong))).includes(secret))
        }
      }
    }),
    { numRuns: 200 },
  )
})

test('properties we do not know pass through at every depth', () => {
  const body = {
    ...individual,
    next_year: { a: [1, null] },
    residential_address: { ...address, what3words: 'a.b.c' },
    identifying_information: [{ ...ssn, chip: true }],
  }
  const checked = checkKycSubmission(body, { nowMs })
  assert.ok(checked.ok)
  assert.deepEqual(checked.body, body)
})

test('any JSON at all is answered, never thrown at', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(...bodies), fc.nat(), (value, [, body], pick) => {
      assert.equal(typeof checkKycSubmission(value, { nowMs }).ok, 'boolean')
      const all = [...places(body)]
      problemsOf(withValue(body, all[pick % all.length] ?? [], value as Json))
    }),
    { numRuns: 500 },
  )
  for (const body of [undefined, null, 'text', 3, []]) assert.equal(checkKycSubmission(body, { nowMs }).ok, false)
})

test('an object that cannot become a text is refused at every place, never thrown at', () => {
  for (const [, body] of bodies)
    for (const place of places(body)) problemsOf(withValue(body, place, { toString: '', valueOf: 0 }))
})

test('every problem is told at once', () => {
  const body = {
    first_name: 'A',
    birth_date: '2001-02-30',
    residential_address: { street_line_1: '1 X', country: 'US' },
    identifying_information: [{ type: 'Library Card', issuing_country: 'ZZZ' }, { type: 'passport' }],
    acting_as_intermediary: 'no',
  }
  assert.deepEqual(paramsOf(body).sort(), [
    'acting_as_intermediary',
    'birth_date',
    'first_name',
    'identifying_information[0].issuing_country',
    'identifying_information[0].type',
    'identifying_information[1].issuing_country',
    'residential_address.city',
    'residential_address.country',
    'residential_address.street_line_1',
  ])
})

test('the list of problems is bounded, and an array that is too long is one problem', () => {
  const broken = Array.from({ length: 20 }, () => ({ type: 3, issuing_country: 3, number: 3, expiration: 3 }))
  const people = Array.from({ length: 50 }, () => ({ identifying_information: broken }))
  assert.equal(problemsOf({ type: 'business', associated_persons: people }).length, problemsMax)
  assert.deepEqual(paramsOf({ identifying_information: Array.from({ length: 21 }, () => 3) }), [
    'identifying_information',
  ])
})

test('form is not sufficiency: an empty body is well formed, and its type is filled in', () => {
  assert.deepEqual(checkKycSubmission({}, { nowMs }), { ok: true, body: { type: 'individual' }, type: 'individual' })
  const asBusiness = checkKycSubmission({}, { nowMs, defaultType: 'business' })
  assert.deepEqual(asBusiness, { ok: true, body: { type: 'business' }, type: 'business' })
  assert.deepEqual(paramsOf({ type: 'charity' }), ['type'])
})

test('country codes are taken in any case and sent on in upper case', () => {
  const checked = checkKycSubmission(
    {
      ...individual,
      nationality: 'gbr',
      residential_address: { ...address, country: 'usa', subdivision: 'tx' },
      identifying_information: [{ ...ssn, issuing_country: 'usa' }],
    },
    { nowMs },
  )
  assert.ok(checked.ok)
  assert.equal(checked.body['nationality'], 'GBR')
  assert.deepEqual(checked.body['residential_address'], address)
  assert.deepEqual(checked.body['identifying_information'], [ssn])
  for (const code of ['US', 'USD', 'Usa ', 'u', '', 'UßA'])
    assert.deepEqual(paramsOf({ nationality: code }), ['nationality'])
})

test('there are 249 ISO countries and Kosovo, and 30 in the European Economic Area', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))).filter(isCountry)
  assert.equal(codes.length, 250)
  assert.equal(codes.filter(isInEea).length, 30)
})

test('an individual is an adult from the eighteenth birthday on', () => {
  const refused = (birth_date: string, day: number) => checkKycSubmission({ birth_date }, { nowMs: day }).ok === false
  assert.equal(refused('2008-02-28', nowMs), false)
  assert.equal(refused('2008-03-01', nowMs), true)
  // Born on 29 February: of age on 1 March.
  assert.equal(refused('2008-02-29', nowMs), true)
  assert.equal(refused('2008-02-29', Date.UTC(2026, 2, 1)), false)
  assert.equal(refused('1899-12-31', nowMs), true)
})

test('a date is a real day written yyyy-mm-dd', () => {
  for (const day of [
    '2030-02-29',
    '2030-13-01',
    '2030-00-10',
    '2030-1-1',
    '01/02/2030',
    '20300101',
    '2030-04-31',
    '+002030-01-01',
  ]) {
    assert.deepEqual(paramsOf({ identifying_information: [{ ...ssn, expiration: day }] }), [
      'identifying_information[0].expiration',
    ])
  }
  assert.deepEqual(paramsOf({ identifying_information: [{ ...ssn, expiration: '2032-02-29' }] }), [])
})

test('a picture is what its first bytes say, whatever type it declares', () => {
  const inFront = (image: string) => paramsOf({ identifying_information: [{ ...passport, image_front: image }] })
  const heic = [0, 0, 0, 24, ...Buffer.from('ftypheic'), 0, 0]
  const kinds = {
    png,
    pdf,
    jpeg: dataUri([0xff, 0xd8, 0xff, 0xe0], 'image/jpg'),
    tiff: dataUri(Buffer.from('II*\0....')),
    heic: dataUri(heic),
  }
  for (const [kind, uri] of Object.entries(kinds)) {
    assert.deepEqual(inFront(uri), [], kind)
    const asSelfie = paramsOf({ liveness_check_selfies: [{ image: uri }] })
    assert.deepEqual(asSelfie, kind === 'pdf' ? ['liveness_check_selfies[0].image'] : [], kind)
  }
  const wrong = [
    dataUri(Buffer.from('GIF89a......'), 'image/png'),
    dataUri(Buffer.from('<svg></svg>')),
    dataUri([]),
    png.replace('data:', ''),
    png.replace(';base64', ''),
    `${png}A`,
    png.replace('iVBO', 'iV-_'),
    png.replace('iVBO', 'iV\nO'),
    'https://example.com/id.png',
  ]
  for (const uri of wrong) assert.deepEqual(inFront(uri), ['identifying_information[0].image_front'], uri)
})

test('a picture may have 10 MiB and not a byte more, and is judged in well under a second', () => {
  const sized = (bytes: number) => {
    const picture = Buffer.alloc(bytes)
    picture.set([0xff, 0xd8, 0xff])
    return { identifying_information: [{ ...passport, image_front: dataUri(picture, 'image/jpeg') }] }
  }
  const [largest, tooLarge] = [sized(10 * 1_048_576), sized(10 * 1_048_576 + 1)]
  const before = process.cpuUsage()
  assert.deepEqual(problemsOf(largest), [])
  const [problem] = problemsOf(tooLarge)
  // By the processor's time: a busy machine takes longer by the clock.
  const { user, system } = process.cpuUsage(before)
  assert.ok(user + system < 1_000_000)
  assert.deepEqual([problem?.param, problem?.code], ['identifying_information[0].image_front', 'invalid_length'])
})

test('what depends on another property is asked for where it does', () => {
  const { subdivision: _, ...noSubdivision } = address
  const { description: __, ...undescribed } = other
  const { number: ___, ...unnumbered } = ssn
  assert.deepEqual(paramsOf({ residential_address: noSubdivision }), ['residential_address.subdivision'])
  assert.deepEqual(paramsOf({ residential_address: { ...noSubdivision, country: 'usa' } }), [
    'residential_address.subdivision',
  ])
  assert.deepEqual(paramsOf({ residential_address: { ...noSubdivision, country: 'FRA' } }), [])
  assert.deepEqual(paramsOf({ identifying_information: [undescribed] }), ['identifying_information[0].description'])
  assert.deepEqual(paramsOf({ identifying_information: [unnumbered] }), ['identifying_information[0].number'])
  assert.deepEqual(paramsOf({ documents: [{ purposes: ['other'], file: pdf }] }), ['documents[0].description'])
  const [chief] = (business['associated_persons'] as JsonObject[]).map(({ title, ...rest }) => (title ? rest : {}))
  assert.deepEqual(paramsOf({ type: 'business', associated_persons: [chief ?? {}] }), ['associated_persons[0].title'])
})

test('a business may state its monthly payments as a number or a range, an individual as a range only', () => {
  assert.deepEqual(paramsOf({ type: 'business', expected_monthly_payments_usd: '0_4999' }), [])
  assert.deepEqual(paramsOf({ type: 'business', expected_monthly_payments_usd: 0.5 }), [
    'expected_monthly_payments_usd',
  ])
  assert.deepEqual(paramsOf({ expected_monthly_payments_usd: 10_000 }), ['expected_monthly_payments_usd'])
})

const core = {
  type: 'individual',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  birth_date: '1990-01-15',
  residential_address: address,
}
const inCountry = (country: string, ...identifying_information: JsonObject[]) =>
  missingForApproval({ ...core, residential_address: { ...address, country }, identifying_information })

test('an empty submission misses the basics, and each missing name leads to a property to send', () => {
  const missing = missingForApproval({ type: 'individual' })
  assert.deepEqual(missing, [
    'first_name',
    'last_name',
    'email_address',
    'date_of_birth',
    'address_of_residence',
    'tax_identification_number',
    'government_id_verification',
  ])
  const all = [...missing, ...missingForApproval({ type: 'business' }), ...inCountry('FRA'), 'transliterated_last_name']
  for (const name of all) assert.equal(remedyOfRequirement(name).by, 'fields', name)
})

test('in the USA an ssn or itin is enough, and nothing else is', () => {
  assert.deepEqual(inCountry('USA', ssn), [])
  assert.deepEqual(inCountry('USA', { ...ssn, type: 'itin' }), [])
  assert.deepEqual(inCountry('USA', passport), ['tax_identification_number'])
})

test('elsewhere a tax id and a photo id are wanted; a passport with number and image is both', () => {
  const { image_front: _, ...unpictured } = passport
  const { number: __, ...unnumbered } = passport
  assert.deepEqual(inCountry('MEX', passport), [])
  assert.deepEqual(inCountry('MEX', unpictured), ['government_id_verification'])
  assert.deepEqual(inCountry('MEX', unnumbered), ['tax_identification_number'])
  assert.deepEqual(inCountry('MEX', { ...ssn, type: 'curp' }), ['government_id_verification'])
  assert.deepEqual(inCountry('MEX', { ...ssn, type: 'curp' }, unnumbered), [])
})

test('in the European Economic Area nationality, birth place, purpose and employment are wanted too', () => {
  const extra = ['nationality', 'place_of_birth', 'sof_individual_primary_purpose', 'employment_status']
  assert.deepEqual(inCountry('FRA', passport), ['tax_identification_number', ...extra])
  assert.deepEqual(inCountry('FRA', passport, { ...ssn, type: 'spi' }), extra)
})

test('a name beyond Latin-1 is wanted in Latin letters as well', () => {
  const named = { ...core, first_name: 'Ада', last_name: 'Müller', identifying_information: [ssn] }
  assert.deepEqual(missingForApproval(named), ['transliterated_first_name'])
  assert.deepEqual(missingForApproval({ ...named, transliterated_first_name: 'Ada' }), [])
})

test('a full individual and a full business miss nothing; a business alone misses its people and papers', () => {
  assert.deepEqual(missingForApproval(individual), [])
  assert.deepEqual(missingForApproval(business), [])
  assert.deepEqual(missingForApproval({ ...business, associated_persons: [], documents: [] }), [
    'control_person',
    'business_formation_document',
    'business_ownership_document',
  ])
})

test('what only a business can state is refused wherever it is, and nothing else', () => {
  const body = { verified_govid_at: null, first_name: 'Ada', associated_persons: ['Ada', { kyc_screen: {} }, {}] }
  assert.deepEqual(
    statementProblems(body).map(({ param, code }) => [param, code]),
    [
      ['verified_govid_at', 'unknown_field'],
      ['associated_persons[1].kyc_screen', 'unknown_field'],
    ],
  )
  assert.deepEqual(statementProblems({ associated_persons: 'nobody' }), [])
})

test('an endorsement of one country is a default there alone', () => {
  const defaults = [
    { name: 'base', country: null },
    { name: 'sepa', country: 'DEU' },
  ]
  assert.deepEqual(defaultEndorsementsOf(defaults, 'DEU'), ['base', 'sepa'])
  for (const country of ['USA', undefined]) assert.deepEqual(defaultEndorsementsOf(defaults, country), ['base'])
})

test('a known name in camel case is refused with the name that is meant', () => {
  const camel = checkKycSubmission({ type: 'individual', firstName: 'Ada', aNameOfTheBusiness: 1 }, { nowMs })
  assert.ok(!camel.ok)
  const named = camel.problems.filter(({ code }) => code === 'unknown_field')
  assert.deepEqual(
    named.map(({ param }) => param),
    ['firstName'],
  )
  assert.match(named[0]?.message ?? '', /did you mean `first_name`/)
})

test('an address in Latin letters has no other letters, and a subdivision is sent as its code', () => {
  const street = { street_line_1: '1 Main Street', country: 'CAN' }
  const [problem] = problemsOf({ transliterated_residential_address: { ...street, city: '東京' } })
  assert.deepEqual([problem?.param, problem?.code], ['transliterated_residential_address.city', 'invalid_format'])
  const residence = { ...street, city: 'Toronto', subdivision: 'Ontario' }
  assert.deepEqual(problemsOf({ residential_address: residence }), [])
  assert.equal(residence.subdivision, 'ON')
})
