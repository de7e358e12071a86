// The closed lists of words in the KYC body, as the provider documents them.

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const endorsementNames = words('base cards cop faster_payments pix pix_onramp pix_offramp sepa spei')

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

export const personAccountPurposes = words(`
  charitable_donations ecommerce_retail_payments investment_purposes operating_a_company other
  payments_to_friends_or_family_abroad personal_or_living_expenses protect_wealth purchase_goods_and_services
  receive_payment_for_freelancing receive_salary`)

export const employmentStatuses = words('employed homemaker retired self_employed student unemployed')

export const monthlyPayments = words('0_4999 5000_9999 10000_49999 50000_plus')

export const personSourcesOfFunds = words(`
  company_funds ecommerce_reseller gambling_proceeds gifts government_benefits inheritance investments_loans
  pension_retirement salary sale_of_assets_real_estate savings someone_elses_funds`)

export const businessTypes = words('cooperative corporation llc other partnership sole_prop trust')

export const businessDocumentPurposes = words(`
  aml_comfort_letter business_formation directors_registry e_signature_certificate evidence_of_good_standing flow_of_funds
  marketing_materials ownership_chart ownership_information proof_of_account_purpose proof_of_address
  proof_of_entity_name_change proof_of_nature_of_business proof_of_signatory_authority proof_of_source_of_funds
  proof_of_source_of_wealth proof_of_tax_identification shareholder_register other`)

export const businessAccountPurposes = words(`
  charitable_donations ecommerce_retail_payments investment_purposes other payments_to_friends_or_family_abroad payroll
  personal_or_living_expenses protect_wealth purchase_goods_and_services receive_payments_for_goods_and_services
  tax_optimization third_party_money_transmission treasury_management`)

// The provider's own list has had the fifth word both with and without its last digit.
export const annualRevenues = words(`
  0_99999 100000_999999 1000000_9999999 10000000_49999999 50000000_249999999 50000000_24999999 250000000_plus`)

export const businessSourcesOfFunds = words(`
  business_loans grants inter_company_funds investment_proceeds legal_settlement owners_capital pension_retirement
  sale_of_assets sales_of_goods_and_services tax_refund third_party_funds treasury_reserves`)

export const highRiskActivities = words(`
  adult_entertainment gambling hold_client_funds investment_services lending_banking marijuana_or_related_services
  money_services nicotine_tobacco_or_related_services operate_foreign_exchange_virtual_currencies_brokerage_otc
  pharmaceuticals precious_metals_precious_stones_jewelry safe_deposit_box_rentals third_party_payment_processing
  weapons_firearms_and_explosives none_of_the_above`)
