/**
 * Names of countries and regions. Stored fingerprints depend on these entries, so read decision 9 before you change an
 * entry.
 */
import countries from 'i18n-iso-countries/index.js';
import german from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import spanish from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import french from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };
import italian from 'i18n-iso-countries/langs/it.json' with { type: 'json' };
import dutch from 'i18n-iso-countries/langs/nl.json' with { type: 'json' };
import portuguese from 'i18n-iso-countries/langs/pt.json' with { type: 'json' };

/**
 * The states and territories of the United States. Each line contains the Postal Service's code for a state and the
 * state's names.
 */
export const STATES = `
aa: armed forces americas
ae: armed forces europe
ak: alaska
al: alabama
ap: armed forces pacific
ar: arkansas
as: american samoa
az: arizona, ariz
ca: california, calif
co: colorado, colo
ct: connecticut, conn
dc: district of columbia, d c
de: delaware
fl: florida, fla
fm: federated states of micronesia
ga: georgia
gu: guam
hi: hawaii
ia: iowa
id: idaho
il: illinois
in: indiana
ks: kansas
ky: kentucky
la: louisiana
ma: massachusetts, mass
md: maryland
me: maine
mh: marshall islands
mi: michigan, mich
mn: minnesota, minn
mo: missouri
mp: northern mariana islands
ms: mississippi
mt: montana
nc: north carolina
nd: north dakota
ne: nebraska, nebr
nh: new hampshire, n h
nj: new jersey, n j
nm: new mexico
nv: nevada
ny: new york, n y
oh: ohio
ok: oklahoma, okla
or: oregon
pa: pennsylvania
pr: puerto rico
pw: palau
ri: rhode island, r i
sc: south carolina
sd: south dakota
tn: tennessee, tenn
tx: texas, tex
ut: utah
va: virginia
vi: virgin islands, us virgin islands, united states virgin islands
vt: vermont
wa: washington
wi: wisconsin, wisc
wv: west virginia
wy: wyoming
`;

/** Provinces and territories of Canada. */
export const PROVINCES = `
ab: alberta
bc: british columbia
mb: manitoba
nb: new brunswick
nl: newfoundland, newfoundland and labrador
ns: nova scotia
nt: northwest territories
nu: nunavut
on: ontario
pe: prince edward island, pei
qc: quebec, pq
sk: saskatchewan
yt: yukon, yukon territory
`;

/** Spellings that the library does not contain, by alpha-2 code. */
const MORE_COUNTRY_NAMES = `
AE: emirates
BA: bosnia
BN: brunei
CI: ivory coast
CV: cabo verde
DE: federal republic of germany
FK: falkland islands
FM: micronesia
GB: england, scotland, wales, northern ireland, britain
GR: hellas
IE: republic of ireland, eire
KR: korea
LA: laos
MD: moldova
MK: macedonia
MM: burma
MO: macau
NL: holland
PS: palestinian territory
RU: russian federation
SH: st helena
SY: syria
SZ: swaziland
TL: east timor
TT: trinidad
US: america, u s a, u s
VA: vatican, vatican city, holy see
VG: british virgin islands
VN: viet nam
`;

/** Words that come after a name and a comma, as in "Korea, Republic of". */
export const COUNTRY_TITLES = [
  'republic of',
  'islamic republic of',
  'united republic of',
  'bolivarian republic of',
  'plurinational state of',
  'federated states of',
  'province of china',
];

/** A country: its alpha-2 and alpha-3 codes, and its names in English and in other languages. */
export interface Country {
  code: string;
  longCode: string;
  english: readonly string[];
  foreign: readonly string[];
}

const OTHER_LANGUAGES = [german, spanish, french, italian, dutch, portuguese];

/** All countries of ISO 3166, with additional spellings. */
export function readCountries(): Country[] {
  for (const language of [english, ...OTHER_LANGUAGES]) countries.registerLocale(language);
  const namesIn = OTHER_LANGUAGES.map(({ locale }) =>
    countries.getNames(locale, { select: 'all' }),
  );
  const englishNames = countries.getNames('en', { select: 'all' });
  const more = new Map(parseSpellings(MORE_COUNTRY_NAMES));
  return Object.entries(countries.getAlpha2Codes()).map(([code, longCode]) => ({
    code,
    longCode,
    english: [...(englishNames[code] ?? []), ...(more.get(code) ?? [])],
    foreign: namesIn.flatMap((names) => names[code] ?? []),
  }));
}

/**
 * Returns the lines of a table. Each line of the table contains a word in its canonical form, and the word's other
 * spellings.
 */
export function parseSpellings(table: string): [canonical: string, spellings: string[]][] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [canonical = '', spellings = ''] = line.split(': ');
      return [canonical, spellings.split(', ')];
    });
}
