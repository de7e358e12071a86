// The countries of the world by their names in the language of the page, which the browser knows.

/** ISO 3166-1: alpha-3 behind alpha-2, and Kosovo. */
const codes =
  'AFAFG AXALA ALALB DZDZA ASASM ADAND AOAGO AIAIA AGATG ARARG AMARM AWABW AUAUS ATAUT AZAZE BSBHS BHBHR BDBGD BBBRB BYBLR BEBEL BZBLZ BJBEN BMBMU BTBTN BOBOL BQBES BABIH BWBWA BRBRA VGVGB BNBRN BGBGR BFBFA BIBDI CVCPV KHKHM CMCMR CACAN KYCYM CFCAF TDTCD CLCHL CNCHN COCOL KMCOM CGCOG CDCOD CKCOK CRCRI CICIV HRHRV CUCUB CWCUW CYCYP CZCZE DKDNK DJDJI DMDMA DODOM ECECU EGEGY SVSLV GQGNQ ERERI EEEST SZSWZ ETETH FKFLK FOFRO FJFJI FIFIN FRFRA GFGUF PFPYF GAGAB GMGMB GEGEO DEDEU GHGHA GIGIB GRGRC GLGRL GDGRD GPGLP GUGUM GTGTM GGGGY GNGIN GWGNB GYGUY HTHTI HNHND HKHKG HUHUN ISISL ININD IDIDN IRIRN IQIRQ IEIRL IMIMN ILISR ITITA JMJAM JPJPN JEJEY JOJOR KZKAZ KEKEN KIKIR KWKWT KGKGZ LALAO LVLVA LBLBN LSLSO LRLBR LYLBY LILIE LTLTU LULUX MOMAC MGMDG MWMWI MYMYS MVMDV MLMLI MTMLT MHMHL MQMTQ MRMRT MUMUS YTMYT MXMEX FMFSM MDMDA MCMCO MNMNG MEMNE MSMSR MAMAR MZMOZ MMMMR NANAM NRNRU NPNPL NLNLD NCNCL NZNZL NINIC NENER NGNGA NUNIU NFNFK KPPRK MKMKD MPMNP NONOR OMOMN PKPAK PWPLW PSPSE PAPAN PGPNG PYPRY PEPER PHPHL PLPOL PTPRT PRPRI QAQAT REREU ROROU RURUS RWRWA BLBLM SHSHN KNKNA LCLCA MFMAF PMSPM VCVCT WSWSM SMSMR STSTP SASAU SNSEN RSSRB SCSYC SLSLE SGSGP SXSXM SKSVK SISVN SBSLB SOSOM ZAZAF KRKOR SSSSD ESESP LKLKA SDSDN SRSUR SESWE CHCHE SYSYR TWTWN TJTJK TZTZA THTHA TLTLS TGTGO TKTKL TOTON TTTTO TNTUN TRTUR TMTKM TCTCA TVTUV UGUGA UAUKR AEARE GBGBR USUSA VIVIR UYURY UZUZB VUVUT VAVAT VEVEN VNVNM WFWLF EHESH YEYEM ZMZMB ZWZWE AQATA TFATF BVBVT CCCCK CXCXR HMHMD IOIOT PNPCN GSSGS SJSJM UMUMI XKXKX'
    .split(' ')
    .map((pair) => ({ two: pair.slice(0, 2), three: pair.slice(2) }))

export type Country = { value: string; label: string }

const known = new Map<string, readonly Country[]>()

/** @returns alpha-3 and name, in the order of the alphabet of the language */
export function countriesIn(language: string): readonly Country[] {
  const found = known.get(language)
  if (found) return found
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const order = new Intl.Collator(language)
  const countries = codes
    .map(({ two, three }) => ({ value: three, label: names.of(two) ?? three }))
    .sort((one, other) => order.compare(one.label, other.label))
  known.set(language, countries)
  return countries
}

/** The country of the browser's language, such as `de-AT`, as a first guess. */
export function countryOf(tags: readonly string[]): string | undefined {
  const region = tags.map((tag) => new Intl.Locale(tag).region).find((found) => found !== undefined)
  return codes.find(({ two }) => two === region)?.three
}
