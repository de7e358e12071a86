// The enumerations of the provider's wire for the fields of a customer.
const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const photoIdTypes = words(`
  drivers_license matriculate_id military_id national_id passport permanent_residency_id state_or_provincial_id visa`)

export const taxIdTypes = words(`
  abn acn ahv ak aom arbn avs bc bce bin bir bp brn bsn bvn cc cdi cedula_juridica cf cif cin cipc cn cnp cnpj cpf cpr
  crc crib crn cro cui cuil curp cuit cvr edrpou ein embg emirates_id en fin fn gstin gui hetu hkid hn ic ico id
  id_broj idno idnp idnr if iin ik inn ird itin itr iva jmbg kbo kvk matricule mf mn ms mst nic nicn nie nif nin nino
  nip nipc nipt nit npwp nric nrn nrt ntn nuit nzbn oib orgnr other pan partita_iva pesel pib pin pk ppsn qid rc regon
  rfc ricn rif rn rnc rnokpp rp rrn rtn ruc rut si sin siren siret spi ssm ssn steuer_id strn tckn tfn tin tpin trn
  ucn uen uic uid usc ust_idnr utr vat vkn voen y_tunnus`)

export const individualDocumentPurposes = words(`
  proof_of_account_purpose proof_of_address proof_of_individual_name_change proof_of_relationship
  proof_of_source_of_funds proof_of_source_of_wealth proof_of_tax_identification other`)

export const businessDocumentPurposes = words(`
  aml_comfort_letter business_formation directors_registry e_signature_certificate evidence_of_good_standing
  flow_of_funds marketing_materials ownership_chart ownership_information proof_of_account_purpose proof_of_address
  proof_of_entity_name_change proof_of_nature_of_business proof_of_signatory_authority proof_of_source_of_funds
  proof_of_source_of_wealth proof_of_tax_identification shareholder_register other`)

export const individualAccountPurposes = words(`
  charitable_donations ecommerce_retail_payments investment_purposes operating_a_company other
  payments_to_friends_or_family_abroad personal_or_living_expenses protect_wealth purchase_goods_and_services
  receive_payment_for_freelancing receive_salary`)

export const businessAccountPurposes = words(`
  charitable_donations ecommerce_retail_payments investment_purposes other payments_to_friends_or_family_abroad payroll
  personal_or_living_expenses protect_wealth purchase_goods_and_services receive_payments_for_goods_and_services
  tax_optimization third_party_money_transmission treasury_management`)

export const employmentStatuses = words('employed homemaker retired self_employed student unemployed')

export const monthlyPaymentRanges = words('0_4999 5000_9999 10000_49999 50000_plus')

export const individualFundSources = words(`
  company_funds ecommerce_reseller gambling_proceeds gifts government_benefits inheritance investments_loans
  pension_retirement salary sale_of_assets_real_estate savings someone_elses_funds`)

export const businessFundSources = words(`
  business_loans grants inter_company_funds investment_proceeds legal_settlement owners_capital pension_retirement
  sale_of_assets sales_of_goods_and_services tax_refund third_party_funds treasury_reserves`)

export const businessTypes = words('cooperative corporation llc other partnership sole_prop trust')

export const annualRevenueRanges = words(`
  0_99999 100000_999999 1000000_9999999 10000000_49999999 50000000_249999999 250000000_plus`)

export const highRiskActivities = words(`
  adult_entertainment gambling hold_client_funds investment_services lending_banking marijuana_or_related_services
  money_services nicotine_tobacco_or_related_services operate_foreign_exchange_virtual_currencies_brokerage_otc
  pharmaceuticals precious_metals_precious_stones_jewelry safe_deposit_box_rentals third_party_payment_processing
  weapons_firearms_and_explosives none_of_the_above`)

/** ISO 3166-1 alpha-3. */
export const countryCodes: ReadonlySet<string> = new Set(
  words(`
  ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR
  BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP
  CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB
  GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN
  KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD
  MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN
  PCN PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM
  SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR
  UMI URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM XKX YEM ZAF ZMB ZWE`),
)
