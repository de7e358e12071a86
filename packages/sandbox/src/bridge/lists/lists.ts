// Reference data: countries and occupations.

import type { Operation } from '../../platform/operations.ts'
import { countries } from './countries.ts'

/** A few of the codes that `most_recent_occupation` accepts. */
const occupations: readonly { display_name: string; code: string }[] = [
  { display_name: 'Accountant and auditor', code: '132011' },
  { display_name: 'Actor', code: '272011' },
  { display_name: 'Acupuncturist', code: '291291' },
  { display_name: 'Administrative services manager', code: '113012' },
  { display_name: 'Architect, except landscape and naval', code: '171011' },
  { display_name: 'Chief executive', code: '111011' },
  { display_name: 'Civil engineer', code: '172051' },
  { display_name: 'Computer programmer', code: '151251' },
  { display_name: 'Construction laborer', code: '472061' },
  { display_name: 'Graphic designer', code: '271024' },
  { display_name: 'Lawyer', code: '231011' },
  { display_name: 'Registered nurse', code: '291141' },
  { display_name: 'Retail salesperson', code: '412031' },
  { display_name: 'Software developer', code: '151252' },
  { display_name: 'Other', code: 'other' },
]

export const listOperations = (): Operation[] => [
  { method: 'GET', path: '/lists/countries', run: () => ({ count: countries.length, data: countries }) },
  { method: 'GET', path: '/lists/occupation_codes', run: () => occupations },
]
