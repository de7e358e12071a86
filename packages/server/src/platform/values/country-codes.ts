// Country codes of three letters, and which of them form the European Economic Area.

import { countryCodes } from '../../../../forms/src/countries/codes.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const eeaCodes = words(`
  AUT BEL BGR CYP CZE DEU DNK ESP EST FIN FRA GRC HRV HUN IRL ISL ITA LIE LTU LUX LVA MLT NLD NOR POL PRT ROU SVK SVN SWE`)

/** @param code in upper case */
export function isCountry(code: string): boolean {
  return countryCodes.has(code)
}

/** @param code in upper case */
export function isInEea(code: string): boolean {
  return eeaCodes.has(code)
}
