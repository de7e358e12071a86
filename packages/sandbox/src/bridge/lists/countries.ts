// Reference data of GET /lists/countries: a subset of about forty countries. Subdivision codes are those of ISO 3166-2
// without the country's prefix. Countries whose addresses have no subdivision have none here.

type Country = {
  name: string
  alpha3: string
  /** A regular expression in Ruby's notation; absent where there are no postal codes. */
  postal_code_format?: string
  subdivisions: { name: string; code: string }[]
}

const country = (alpha3: string, name: string, postalCode: string | null, subdivisions = ''): Country => ({
  name,
  alpha3,
  ...(postalCode === null ? {} : { postal_code_format: `\\A${postalCode}\\z` }),
  subdivisions: subdivisions
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => ({ code: entry.slice(0, entry.indexOf(' ')), name: entry.slice(entry.indexOf(' ') + 1) })),
})

export const countries: readonly Country[] = [
  country(
    'ARE',
    'United Arab Emirates',
    null,
    'AZ Abu Dhabi, AJ Ajman, DU Dubai, FU Fujairah, RK Ras al-Khaimah, SH Sharjah, UQ Umm al-Quwain',
  ),
  country('ARG', 'Argentina', '[A-Z]?\\d{4}([A-Z]{3})?'),
  country(
    'AUS',
    'Australia',
    '\\d{4}',
    `ACT Australian Capital Territory, NSW New South Wales, NT Northern Territory, QLD Queensland, SA South Australia,
     TAS Tasmania, VIC Victoria, WA Western Australia`,
  ),
  country('AUT', 'Austria', '\\d{4}'),
  country('BEL', 'Belgium', '\\d{4}'),
  country('BGR', 'Bulgaria', '\\d{4}'),
  country(
    'BRA',
    'Brazil',
    '\\d{5}-?\\d{3}',
    `AC Acre, AL Alagoas, AP Amapá, AM Amazonas, BA Bahia, CE Ceará, DF Distrito Federal, ES Espírito Santo, GO Goiás,
     MA Maranhão, MT Mato Grosso, MS Mato Grosso do Sul, MG Minas Gerais, PA Pará, PB Paraíba, PR Paraná, PE Pernambuco,
     PI Piauí, RJ Rio de Janeiro, RN Rio Grande do Norte, RS Rio Grande do Sul, RO Rondônia, RR Roraima,
     SC Santa Catarina, SP São Paulo, SE Sergipe, TO Tocantins`,
  ),
  country(
    'CAN',
    'Canada',
    '[A-Z]\\d[A-Z] ?\\d[A-Z]\\d',
    `AB Alberta, BC British Columbia, MB Manitoba, NB New Brunswick, NL Newfoundland and Labrador,
     NS Nova Scotia, NT Northwest Territories, NU Nunavut, ON Ontario, PE Prince Edward Island, QC Quebec,
     SK Saskatchewan, YT Yukon`,
  ),
  country('CHE', 'Switzerland', '\\d{4}'),
  country('CHL', 'Chile', '\\d{7}'),
  country(
    'COL',
    'Colombia',
    '\\d{6}',
    `AMA Amazonas, ANT Antioquia, ARA Arauca, ATL Atlántico, BOL Bolívar, BOY Boyacá, CAL Caldas, CAQ Caquetá,
     CAS Casanare, CAU Cauca, CES Cesar, CHO Chocó, COR Córdoba, CUN Cundinamarca, DC Bogotá, GUA Guainía, GUV Guaviare,
     HUI Huila, LAG La Guajira, MAG Magdalena, MET Meta, NAR Nariño, NSA Norte de Santander, PUT Putumayo, QUI Quindío,
     RIS Risaralda, SAN Santander, SAP San Andrés y Providencia, SUC Sucre, TOL Tolima, VAC Valle del Cauca, VAU Vaupés,
     VID Vichada`,
  ),
  country('CYP', 'Cyprus', '\\d{4}'),
  country('CZE', 'Czechia', '\\d{3} ?\\d{2}'),
  country('DEU', 'Germany', '\\d{5}'),
  country('DNK', 'Denmark', '\\d{4}'),
  country('ESP', 'Spain', '\\d{5}'),
  country('EST', 'Estonia', '\\d{5}'),
  country('FIN', 'Finland', '\\d{5}'),
  country('FRA', 'France', '\\d{5}'),
  country('GBR', 'United Kingdom', '[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}'),
  country('GRC', 'Greece', '\\d{3} ?\\d{2}'),
  country('HKG', 'Hong Kong', null),
  country('HRV', 'Croatia', '\\d{5}'),
  country('HUN', 'Hungary', '\\d{4}'),
  country('IND', 'India', '\\d{6}'),
  country('IRL', 'Ireland', '[A-Z]\\d[\\dW] ?[A-Z\\d]{4}'),
  country('ISL', 'Iceland', '\\d{3}'),
  country('ITA', 'Italy', '\\d{5}'),
  country('JPN', 'Japan', '\\d{3}-?\\d{4}'),
  country('KEN', 'Kenya', '\\d{5}'),
  country('LTU', 'Lithuania', '(LT-)?\\d{5}'),
  country('LUX', 'Luxembourg', '(L-)?\\d{4}'),
  country('LVA', 'Latvia', '(LV-)?\\d{4}'),
  country(
    'MEX',
    'Mexico',
    '\\d{5}',
    `AGU Aguascalientes, BCN Baja California, BCS Baja California Sur, CAM Campeche, CHP Chiapas, CHH Chihuahua,
     CMX Ciudad de México, COA Coahuila, COL Colima, DUR Durango, GUA Guanajuato, GRO Guerrero, HID Hidalgo,
     JAL Jalisco, MEX México, MIC Michoacán, MOR Morelos, NAY Nayarit, NLE Nuevo León, OAX Oaxaca, PUE Puebla,
     QUE Querétaro, ROO Quintana Roo, SLP San Luis Potosí, SIN Sinaloa, SON Sonora, TAB Tabasco, TAM Tamaulipas,
     TLA Tlaxcala, VER Veracruz, YUC Yucatán, ZAC Zacatecas`,
  ),
  country('MLT', 'Malta', '[A-Z]{3} ?\\d{4}'),
  country('NGA', 'Nigeria', '\\d{6}'),
  country('NLD', 'Netherlands', '\\d{4} ?[A-Z]{2}'),
  country('NOR', 'Norway', '\\d{4}'),
  country('NZL', 'New Zealand', '\\d{4}'),
  country('PER', 'Peru', '\\d{5}'),
  country('POL', 'Poland', '\\d{2}-?\\d{3}'),
  country('PRT', 'Portugal', '\\d{4}-?\\d{3}'),
  country('ROU', 'Romania', '\\d{6}'),
  country('SGP', 'Singapore', '\\d{6}'),
  country('SVK', 'Slovakia', '\\d{3} ?\\d{2}'),
  country('SVN', 'Slovenia', '\\d{4}'),
  country('SWE', 'Sweden', '\\d{3} ?\\d{2}'),
  country(
    'USA',
    'United States',
    '\\d{5}(-\\d{4})?',
    `AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
     DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas,
     KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi,
     MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York,
     NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island,
     SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington,
     WV West Virginia, WI Wisconsin, WY Wyoming,
     AS American Samoa, GU Guam, MP Northern Mariana Islands, PR Puerto Rico, VI United States Virgin Islands`,
  ),
]

/** Returns the rules of the list for addresses of a country: none for a country that is not in the list. */
export function listedCountry(alpha3: string): { subdivisions?: string[]; postalCodes?: RegExp } {
  const found = countries.find((entry) => entry.alpha3 === alpha3)
  const format = found?.postal_code_format
  return {
    ...(found && { subdivisions: found.subdivisions.map(({ code }) => code) }),
    ...(format !== undefined && { postalCodes: new RegExp(format.replace('\\A', '^').replace('\\z', '$')) }),
  }
}
