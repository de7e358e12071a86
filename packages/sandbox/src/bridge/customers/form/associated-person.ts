// A person behind a business, in the body of the business or added to it later.
import {
  boolean,
  integer,
  join,
  list,
  object,
  parse,
  refined,
  text,
  timestampText,
  type ValueOf,
} from '../../../platform/fields.ts'
import { birthPlace, country, line, person, personalLatinForms, withLatinForms } from './person-form.ts'

export const associatedPerson = refined(
  withLatinForms(
    object(
      {
        ...person,
        first_name: line,
        has_ownership: boolean,
        has_control: boolean,
        is_signer: boolean,
        is_director: boolean,
        title: line,
        ownership_percentage: integer(0, 100),
        nationality: country,
        nationalities: list(country),
        place_of_birth: birthPlace,
        verified_account_authorization_at: timestampText,
        attested_ownership_structure_at: timestampText,
        relationship_established_at: text(10, 40),
      },
      [
        'first_name',
        'last_name',
        'email',
        'residential_address',
        'identifying_information',
        'birth_date',
        'has_ownership',
        'has_control',
        'is_signer',
      ],
    ),
    personalLatinForms,
  ),
  (given, path, problems) => {
    if (given['has_control'] !== true || given['title']) return
    problems[join(path, 'title')] ??= 'is required with has_control'
  },
)

export type PersonForm = ValueOf<typeof associatedPerson>

/** Reads the whole of a person behind a business. */
export const parsePerson = (body: unknown): PersonForm => parse(associatedPerson, body)
