// The countries: the usual kinds of numbers and identity cards, at most three for persons and three for companies. Each row names
// its source. A country without its own tax number has the documents that the provider accepts from everyone.
// Above the usual length: one line for each country.

/**
 * `bridge`: the provider's table of kinds by country. `oecd`: the OECD's page on the country's TIN. `stdnum`: the validators of
 * that library, with their references. `irs`: residents of a territory of the USA have numbers of the USA. `kinds`: the name of
 * a kind in the provider's list is the country's own. `all`: passport, national ID and `other`, which the provider takes from
 * every country but the USA.
 */
export type Source = 'bridge' | 'oecd' | 'stdnum' | 'irs' | 'kinds' | 'all'

const sources: Readonly<Record<string, Source>> = {
  B: 'bridge',
  O: 'oecd',
  S: 'stdnum',
  I: 'irs',
  K: 'kinds',
  P: 'all',
}

/** Country, source, usual kinds of persons | of companies | the identity card at home, `-` where the country issues none. */
const table = `
ABW B other passport national_id | other tin
AFG B tin national_id passport | tin other | Tazkira
AGO B nif national_id passport | nif other | Bilhete de Identidade
AIA P passport other | other tin | -
ALA O hetu tin | y_tunnus vat tin | Henkilökortti / Identitetskort
ALB B tin national_id passport | nipt tin | Letërnjoftim
AND B other nrt passport | nrt other
ARE B emirates_id passport other | trn other tin | Emirates ID
ARG B cuil cdi national_id | cuit tin other | DNI
ARM B tin national_id passport | tin other
ASM I ssn itin tin | ein tin other | -
ATA P passport national_id other | other tin | -
ATF P passport national_id other | other tin | -
ATG P passport national_id other | tin other
AUS B tfn passport other | abn acn arbn | -
AUT B si tin other | fn uid tin | Personalausweis
AZE B voen national_id passport | voen tin other | Şəxsiyyət vəsiqəsi
BDI P national_id passport other | tin other
BEL O nrn tin other | bce kbo vat | Carte d’identité / Identiteitskaart
BEN P national_id passport other | tin other
BES P passport national_id other | crib other | Identiteitskaart
BFA P national_id passport other | tin other | CNIB
BGD S tin national_id passport | bin tin other | NID
BGR O ucn tin other | uic vat tin | Лична карта
BHR O cpr passport other | crn trn other | CPR
BHS P passport other | tin other | -
BIH S jmbg national_id passport | id_broj tin other | Lična karta
BLM O spi national_id passport | siren siret vat | Carte nationale d’identité
BLR S tin national_id passport | tin other
BLZ O tin passport other | tin other
BMU P passport other | other tin | -
BOL S nit national_id passport | nit other | Cédula de identidad
BRA O cpf national_id passport | cnpj other | RG / CIN
BRB O tin national_id passport | tin other
BRN P national_id passport other | tin other
BTN P national_id passport other | tin other
BVT P passport national_id other | other tin | -
BWA P national_id passport other | tin other | Omang
CAF P national_id passport other | tin other
CAN O sin passport other | tin brn other | -
CCK B tfn passport other | abn acn other | -
CHE O ahv avs passport | uid vat other | Identitätskarte / Carte d’identité
CHL O rut national_id passport | rut tin other | Cédula de identidad
CHN O national_id passport tin | usc tin other | 居民身份证
CIV P national_id passport other | tin other | CNI
CMR P national_id passport other | tin other | CNI
COD P passport national_id other | tin other
COG P national_id passport other | tin other
COK O tin passport other | tin other | -
COL O cc nit passport | nit other | Cédula de ciudadanía
COM P national_id passport other | tin other
CPV O nif national_id passport | nif tin other
CRI O tin national_id passport | cedula_juridica tin other | Cédula de identidad
CUB P national_id passport other | nit tin other | Carné de identidad
CUW O crib passport national_id | crib other | Sédula
CXR B tfn passport other | abn acn other | -
CYM P passport other | other tin | -
CYP O tin other vat | tin vat other | Δελτίο ταυτότητας / Kimlik kartı
CZE O rc tin other | ico vat tin | Občanský průkaz
DEU O steuer_id tin other | ust_idnr vat tin | Personalausweis
DJI P national_id passport other | tin other
DMA O tin passport other | tin other | -
DNK O cpr tin other | cvr vat tin | -
DOM S rnc national_id passport | rnc tin other | Cédula de identidad y electoral
DZA S nif national_id passport | nif tin other | CNI
ECU O ruc national_id passport | ruc tin other | Cédula de identidad
EGY S tin national_id passport | tin other | بطاقة الرقم القومي
ERI P national_id passport other | tin other
ESH P national_id passport other | tin other
ESP O nif nie other | nif cif vat | DNI
EST O ik tin other | vat tin other | ID-kaart
ETH P national_id passport other | tin other
FIN O hetu tin other | y_tunnus vat tin | Henkilökortti
FJI K tin passport other | tin other
FLK P passport other | tin other | -
FRA O spi tin other | siren siret vat | Carte nationale d’identité
FRO S tin passport other | vat tin other | -
FSM P passport other | tin other
GAB P national_id passport other | tin other
GBR O nino utr passport | crn utr vat | -
GEO O tin national_id passport | tin other
GGY O tin passport other | tin other | -
GHA O tin national_id passport | tin other | Ghana Card
GIB O tin national_id passport | tin other | Identity card
GIN P national_id passport other | tin other
GLP O spi national_id passport | siren siret vat | Carte nationale d’identité
GMB P national_id passport other | tin other
GNB P national_id passport other | tin other
GNQ P national_id passport other | tin other
GRC O tin other | tin vat other | Δελτίο ταυτότητας
GRD O tin passport other | tin other
GRL O tin passport other | cvr tin other | -
GTM S nit cui passport | nit other | DPI
GUF O spi national_id passport | siren siret vat | Carte nationale d’identité
GUM I ssn itin tin | ein tin other | -
GUY K tin national_id passport | tin other
HKG O hkid passport other | brn crn other | HKID
HMD P passport national_id other | other tin | -
HND K rtn national_id passport | rtn other | DNI
HRV O oib tin other | oib vat tin | Osobna iskaznica
HTI K nif national_id passport | nif other | Carte d’identification nationale
HUN O tin vat other | tin vat other | Személyazonosító igazolvány
IDN O npwp national_id passport | npwp tin other | KTP
IMN O tin nino passport | tin vat other | -
IND O pan national_id passport | pan gstin cin | Aadhaar / Voter ID
IOT P passport national_id other | other tin | -
IRL O ppsn tin other | cro tin vat | -
IRN P national_id passport other | tin other
IRQ P national_id passport other | tin other
ISL O tin other vat | tin vat other | Nafnskírteini
ISR O national_id tin passport | tin vat other | Teudat Zehut
ITA O cf tin other | partita_iva cf vat | Carta d’identità
JAM O trn passport national_id | trn tin other
JEY O tin passport other | tin other | -
JOR P national_id passport other | tin crn other
JPN O tin passport other | tin other | マイナンバーカード
KAZ O iin national_id passport | bin tin other
KEN O pin national_id passport | pin tin other | National ID (Maisha Card)
KGZ S inn national_id passport | inn tin other
KHM P national_id passport other | tin vat other
KIR P passport other | tin other | -
KNA O tin national_id passport | tin other
KOR O rrn passport national_id | brn tin other | 주민등록증
KWT P national_id passport other | other tin | Civil ID
LAO P national_id passport other | tin other
LBN O tin national_id passport | tin vat other
LBR K tin national_id passport | tin other
LBY P national_id passport other | tin other
LCA O tin national_id passport | tin other
LIE O tin ahv other | uid tin vat | Identitätskarte
LKA S nic tin passport | tin vat other | NIC
LSO P national_id passport other | tin other
LTU O ak tin other | vat tin other | Asmens tapatybės kortelė
LUX O matricule tin other | matricule vat tin | Carte d’identité
LVA O pk tin other | vat tin other | Personas apliecība
MAC O national_id passport tin | tin other | BIR
MAF O spi national_id passport | siren siret vat | Carte nationale d’identité
MAR S national_id if passport | if rc other | CNIE
MCO P passport national_id other | vat other
MDA S idnp national_id passport | idno tin other | Buletin de identitate
MDG K nif national_id passport | nif other
MDV O tin national_id passport | tin other
MEX O rfc curp passport | rfc tin other | INE
MHL O tin passport other | ein tin other
MKD S embg national_id passport | embg tin other | Лична карта
MLI P national_id passport other | nif other
MLT O tin other vat | vat tin other | Karta tal-Identità
MMR P national_id passport other | tin other
MNE S jmbg national_id passport | pib tin other | Lična karta
MNG P national_id passport other | tin other
MNP I ssn itin tin | ein tin other | -
MOZ S nuit national_id passport | nuit other | Bilhete de Identidade
MRT P national_id passport other | nif other
MSR O tin passport other | tin other | -
MTQ O spi national_id passport | siren siret vat | Carte nationale d’identité
MUS O tin national_id passport | brn tin other
MWI K tpin national_id passport | tpin other
MYS O tin ic passport | ssm tin brn | MyKad
MYT O spi national_id passport | siren siret vat | Carte nationale d’identité
NAM P national_id passport tin | tin other
NCL P national_id passport other | tin other | Carte nationale d’identité
NER K nif national_id passport | nif other
NFK B tfn passport other | abn acn other | -
NGA O tin nin bvn | tin rc other | NIN slip / National ID card
NIC K ruc national_id passport | ruc other | Cédula de identidad
NIU O tin passport other | tin other | -
NLD O bsn tin other | kvk vat tin | Identiteitskaart
NOR O tin other vat | orgnr vat tin | Nasjonalt ID-kort
NPL K pan national_id passport | pan vat other | नागरिकता प्रमाणपत्र
NRU P passport other | tin other | -
NZL O ird passport other | nzbn ird other | -
OMN P national_id passport other | crn vat other
PAK O ntn national_id passport | ntn strn other | CNIC
PAN O ruc national_id passport | ruc other | Cédula de identidad personal
PCN P passport other | other tin | -
PER O ruc national_id passport | ruc other | DNI
PHL K tin national_id passport | tin other | PhilID
PLW P passport other | tin other
PNG K tin passport other | tin other
POL O pesel nip other | nip regon vat | Dowód osobisty
PRI I ssn itin tin | ein tin other | -
PRK P passport national_id other | other tin
PRT O nif tin other | nipc nif vat | Cartão de Cidadão
PRY S ruc national_id passport | ruc other | Cédula de identidad
PSE P national_id passport other | tin other
PYF P national_id passport other | tin other | Carte nationale d’identité
QAT O qid passport other | tin crn other | QID
REU O spi national_id passport | siren siret vat | Carte nationale d’identité
ROU O cnp tin other | cui cif vat | Carte de identitate
RUS O inn passport national_id | inn tin other | Внутренний паспорт
RWA P national_id passport tin | tin other | Indangamuntu
SAU O tin national_id passport | tin crn vat | بطاقة الهوية الوطنية
SDN P national_id passport other | tin other
SEN P national_id passport other | tin other | CNI
SGP O nric fin passport | uen other | NRIC
SGS P passport national_id other | other tin | -
SHN O tin passport other | tin other | -
SJM O tin passport other | orgnr tin other | -
SLB P passport other | tin other | -
SLE P national_id passport other | tin other
SLV S nit national_id passport | nit other | DUI
SMR O cf tin passport | tin other
SOM P national_id passport other | tin other
SPM O spi national_id passport | siren siret vat | Carte nationale d’identité
SRB S jmbg national_id passport | pib tin other | Lična karta
SSD P national_id passport other | tin other
STP K nif national_id passport | nif other | Bilhete de Identidade
SUR P national_id passport other | tin other
SVK O rc tin other | ico vat tin | Občiansky preukaz
SVN O tin other vat | tin vat other | Osebna izkaznica
SWE O pin tin other | orgnr vat tin | Nationellt id-kort
SWZ P national_id passport other | tin other
SXM O crib passport national_id | crib other
SYC O tin national_id passport | tin other
SYR P national_id passport other | tin other
TCA P passport other | other tin | -
TCD P national_id passport other | tin nif other
TGO K nif national_id passport | nif other | CNI
THA O tin national_id passport | tin vat other | บัตรประจำตัวประชาชน
TJK S inn national_id passport | inn other
TKL P passport other | tin other | -
TKM P national_id passport other | tin other
TLS P national_id passport other | tin other
TON P national_id passport other | tin other
TTO K bir national_id passport | bir other
TUN S national_id mf passport | mf other | CIN
TUR O tckn national_id passport | vkn tin other | Kimlik kartı
TUV P passport other | tin other | -
TWN S tin national_id passport | gui other | 國民身分證
TZA K tin national_id passport | tin other
UGA K tin nin passport | tin other
UKR O rnokpp national_id passport | edrpou tin other | Паспорт громадянина України (ID-картка)
UMI P passport national_id other | other tin | -
URY O rut national_id passport | rut other | Cédula de identidad
USA B ssn itin | ein tin other | -
UZB S inn national_id passport | inn other | ID karta
VAT P passport national_id other | other tin
VCT O tin national_id passport | tin other
VEN S rif national_id passport | rif other | Cédula de identidad
VGB P passport other | other tin | -
VIR I ssn itin tin | ein tin other | -
VNM S mst national_id passport | mst tin other | Căn cước
VUT O tin passport other | tin other
WLF P national_id passport other | tin other | Carte nationale d’identité
WSM O tin passport other | tin other
XKX P national_id passport other | nipt tin other | Letërnjoftim
YEM P national_id passport other | tin other
ZAF O tin national_id passport | cipc tin vat | Smart ID card
ZMB K tpin national_id passport | tpin other | NRC
ZWE K tin national_id passport | tin other`

export type CountryRow = {
  /** The usual kinds of number, the most usual one first. */
  people: readonly string[]
  companies: readonly string[]
  source: Source
  /** The local name of the identity card. Undefined if unknown, null if the country issues none. */
  identityCard: string | null | undefined
}

function rowOf(line: string): [string, CountryRow] {
  const [head = '', companies = '', card] = line.split('|').map((part) => part.trim())
  const [country = '', source = '', ...people] = head.split(' ')
  const row = { people, companies: companies.split(' '), source: sources[source] ?? 'all' }
  return [country, { ...row, identityCard: card === '-' ? null : card }]
}

export const countryRows: ReadonlyMap<string, CountryRow> = new Map(table.trim().split('\n').map(rowOf))
