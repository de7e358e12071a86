// Identifications and documents in a submit-kyc body: their types, sizes and kinds of files, and the form of each. The
// closed lists of types are those that the provider documents.

import { words } from '../../../platform/values/words.ts'
import { document } from './document-image.rules.ts'
import { country, date, type FormSchema, list, longText, object, oneOf, requiredWhen, wordOf } from './form.rules.ts'

export const governmentIdTypes = words(
  'drivers_license matriculate_id military_id national_id passport permanent_residency_id state_or_provincial_id visa',
)

export const taxIdTypes = words(`
  abn acn ahv ak aom arbn avs bc bce bin bir bp brn bsn bvn cc cdi cedula_juridica cf cif cin cipc cn cnp cnpj cpf cpr crc
  crib crn cro cui cuil curp cuit cvr edrpou ein embg emirates_id en fin fn gstin gui hetu hkid hn ic ico id id_broj idno
  idnp idnr if iin ik inn ird itin itr iva jmbg kbo kvk matricule mf mn ms mst nic nicn nie nif nin nino nip nipc nipt nit
  npwp nric nrn nrt ntn nuit nzbn oib orgnr other pan partita_iva pesel pib pin pk ppsn qid rc regon rfc ricn rif rn rnc
  rnokpp rp rrn rtn ruc rut si sin siren siret spi ssm ssn steuer_id strn tckn tfn tin tpin trn ucn uen uic uid usc
  ust_idnr utr vat vkn voen y_tunnus`)

export const personDocumentPurposes = words(`
  proof_of_account_purpose proof_of_address proof_of_individual_name_change proof_of_relationship proof_of_source_of_funds
  proof_of_source_of_wealth proof_of_tax_identification other`)

export const businessDocumentPurposes = words(`
  aml_comfort_letter business_formation directors_registry e_signature_certificate evidence_of_good_standing flow_of_funds
  marketing_materials ownership_chart ownership_information proof_of_account_purpose proof_of_address
  proof_of_entity_name_change proof_of_nature_of_business proof_of_signatory_authority proof_of_source_of_funds
  proof_of_source_of_wealth proof_of_tax_identification shareholder_register other`)

const mebibyte = 1_048_576
export const imageLimits = { kinds: ['png', 'jpeg', 'pdf', 'heic', 'tiff'], bytesMax: 10 * mebibyte } as const
// The provider accepts documents up to 24 MB, more than one request body can hold with its other parts.
export const fileLimits = { kinds: ['pdf', 'jpeg', 'png', 'heic', 'tiff'], bytesMax: 20 * mebibyte } as const

const image = document(imageLimits.kinds, imageLimits.bytesMax)
export const selfie = document(['png', 'jpeg', 'heic', 'tiff'], imageLimits.bytesMax)
const file = document(fileLimits.kinds, fileLimits.bytesMax)

export const identification = object(
  {
    type: wordOf([...governmentIdTypes, ...taxIdTypes]),
    issuing_country: country,
    number: longText,
    description: longText,
    expiration: date,
    image_front: image,
    image_back: image,
  },
  ['type', 'issuing_country'],
  {
    title: 'KycIdentification',
    allOf: [
      requiredWhen('description', 'type', { const: 'other' }, 'is required when type is other'),
      requiredWhen('number', 'type', { enum: [...taxIdTypes] }, 'is required for a tax identification'),
    ],
  },
)

/** @param title names the document; with the suffix `Purpose`, the purpose */
export function documentsFor(title: string, purposes: readonly string[]): FormSchema {
  const one = { purposes: list(oneOf(`${title}Purpose`, purposes), 20), file, description: longText }
  const isOther = { type: 'array', contains: { const: 'other' } }
  const described = requiredWhen('description', 'purposes', isOther, 'is required when a purpose is other')
  return list(object(one, ['purposes', 'file'], { title, ...described }), 20)
}
