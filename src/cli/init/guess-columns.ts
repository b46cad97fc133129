/** The columns that most likely hold what a person is made of; null where none does. */
export interface ColumnGuess {
  id: string | null;
  firstName: string | null;
  lastName: string | null;
  /** The parts of one address, from the street to the country. */
  addresses: string[];
  employers: string[];
}

/** The likeliest names first, without case and punctuation. */
const ID_NAMES = [
  'id',
  'contactid',
  'constituentid',
  'donorid',
  'recordid',
  'personid',
  'memberid',
];
const FIRST_NAMES = ['firstname', 'first', 'givenname', 'forename', 'fname', 'preferredname'];
const LAST_NAMES = ['lastname', 'last', 'surname', 'familyname', 'lname'];
const EMPLOYER_NAMES = ['employer', 'employername', 'company', 'companyname', 'organization'];

/** The parts of an address in the order in which people write them. */
const ADDRESS_PARTS = [
  ['street', 'address', 'address1', 'addressline1', 'streetaddress', 'mailingstreet', 'homestreet'],
  ['street2', 'address2', 'addressline2'],
  ['city', 'town', 'mailingcity', 'homecity'],
  ['state', 'province', 'region', 'stateprovince', 'mailingstate', 'homestate'],
  ['zip', 'zipcode', 'postalcode', 'postcode', 'mailingpostalcode', 'mailingzip', 'homezip'],
  ['country', 'mailingcountry', 'homecountry'],
];

/** Guesses from the names of the columns alone. */
export function guessColumns(columns: readonly string[]): ColumnGuess {
  return {
    id: find(columns, ID_NAMES) ?? columns.find(isIdName) ?? null,
    firstName: find(columns, FIRST_NAMES) ?? endsWith(columns, 'firstname'),
    lastName: find(columns, LAST_NAMES) ?? endsWith(columns, 'lastname'),
    addresses: ADDRESS_PARTS.map((names) => find(columns, names)).filter((name) => name !== null),
    employers: [find(columns, EMPLOYER_NAMES)].filter((name) => name !== null),
  };
}

function find(columns: readonly string[], names: readonly string[]): string | null {
  for (const name of names) {
    const column = columns.find((candidate) => plain(candidate) === name);
    if (column !== undefined) return column;
  }
  return null;
}

/** `Donor ID`, `legacy_id`, `personId`, but not `Amount Paid`. */
function isIdName(column: string): boolean {
  return /(^|[^a-z])id$/i.test(column) || /[a-z]I[dD]$/.test(column);
}

/** `Contact First Name` and the like: a longer name that ends the right way. */
function endsWith(columns: readonly string[], ending: string): string | null {
  return columns.find((candidate) => plain(candidate).endsWith(ending)) ?? null;
}

function plain(column: string): string {
  return column
    .toLowerCase()
    .replace(/\(.*\)/, '')
    .replace(/[^a-z0-9]/g, '');
}
