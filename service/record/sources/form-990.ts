/**
 * Reads the tax returns that the IRS publishes for tax-exempt organisations. The reader supports forms 990, 990-EZ and
 * 990-PF in e-file XML, with the schemas from 2013 on. The returns contain the leaders of an organisation and their
 * pay. The pay indicates how much a person might give.
 */

import { basename } from 'node:path';
import type { Address, SourceNote } from '../../donor.ts';
import { type Entry, entryOf, type NamedOrganisation, type Side } from '../entry.ts';
import { ImportProblem } from '../problem.ts';
import type { FiledReturn } from '../returns.ts';
import { findNameOrder, nameKey, readPersonName } from './person-names.ts';
import { inNameCase, readOrganisationName } from './spelling.ts';
import { type Group, readGroups } from './xml.ts';

const PEOPLE_GROUPS = new Set([
  'Form990PartVIISectionAGrp',
  'OfficerDirectorTrusteeEmplGrp',
  'OfficerDirTrstKeyEmplGrp',
]);

/** The elements that contain the total of paid grants, first for 990 and 990-EZ, and then for 990-PF. */
const GRANT_TOTALS = new Set([
  'CYGrantsAndSimilarPaidAmt',
  'GrantsAndSimilarAmountsPaidAmt',
  'ContriPaidDsbrsChrtblAmt',
]);

const AMENDED = 'AmendedReturnInd';
const IS_TICKED = /^(?:x|true|1)$/i;

const WANTED = new Set(['ReturnHeader', AMENDED, ...PEOPLE_GROUPS, ...GRANT_TOTALS]);

const FORMS = new Map([
  ['990', 'Form 990'],
  ['990EZ', 'Form 990-EZ'],
  ['990PF', 'Form 990-PF'],
]);

const FIRST_SCHEMA = 2013;

/**
 * The maximum number of people on a return. No real return contains more people. All people on a return stay in memory
 * until the return has been read completely.
 */
const MOST_PEOPLE = 20_000;

/** The number of hours per week from which on a person counts as employed, even if the person is unpaid. */
const HOURS_OF_WORK = 30;

/**
 * The number of years for which a person's gifts to nonprofits are estimated. According to fundraisers' rule of thumb,
 * people give a twentieth of their annual pay each year. For a trustee of a private foundation, the estimate is a share
 * of the foundation's grants in five years.
 */
const YEARS = 5;
const SHARE_OF_PAY = 0.05;

/** The confidence for each kind of statement in a return. */
const CONFIDENCE = {
  name: 0.9,
  role: 0.9,
  address: 0.5,
  capacityByPay: 0.4,
  capacityByGrants: 0.3,
};

const BOARD_TITLES =
  /trustee|chair|president|secretary|treasurer|board|officer|member|(?<!executive |managing |program )director/i;

/** A tax return with the people whom it names. */
export interface ReadReturn {
  filed: FiledReturn;
  entries: Entry[];
  /** Texts in name fields that do not name a person, such as "VACANT". */
  unread: string[];
}

/** Reads a return. Throws if the return names no people, or if its schema is older than 2013. */
export async function readForm990(file: string): Promise<ReadReturn> {
  let filing: Filing | null = null;
  let grants = 0;
  let isAmended = false;
  const groups: Group[] = [];
  for await (const group of readGroups(file, WANTED)) {
    if (group.name === 'Return') checkVersion(file, group);
    else if (group.name === 'ReturnHeader') filing = readHeader(file, group);
    else if (group.name === AMENDED) isAmended = IS_TICKED.test(group.fields.get('') ?? '');
    else if (GRANT_TOTALS.has(group.name)) grants = Math.max(grants, amountIn(group, ''));
    else if (PEOPLE_GROUPS.has(group.name) && groups.length < MOST_PEOPLE) {
      groups.push({ ...group, fields: onlyRead(group.fields) });
    }
  }
  if (filing === null)
    throw new ImportProblem(basename(file), [
      'It is not an e-filed return: it has no ReturnHeader.',
    ]);
  if (grants > MOST_GRANTS) {
    throw new ImportProblem(basename(file), [
      `The amount of grants paid is absurd: ${grants} dollars.`,
    ]);
  }
  const { posts, unread } = readPosts(file, groups, filing);
  const trustees = new Set(
    posts.filter(({ sides }) => sides.includes('boards')).map(({ key }) => key),
  );
  const { organisation, from, to, filedAt } = filing;
  const share = grants / Math.max(1, trustees.size);
  return {
    filed: { ein: organisation.ein, from, to, filedAt, isAmended },
    entries: posts.map((post) => toEntry(post, filing, share, grants)),
    unread,
  };
}

/** The maximum amount of grants in a year (US dollars). No organisation pays more. */
const MOST_GRANTS = 100_000_000_000;

interface Filing {
  form: string;
  organisation: NamedOrganisation & { ein: string };
  address: Address | null;
  from: string;
  to: string;
  /** The date of filing. */
  filed: string;
  filedAt: string;
}

function checkVersion(file: string, { fields }: Group): void {
  const year = Number((fields.get('@returnVersion') ?? '').slice(0, 4));
  if (year >= FIRST_SCHEMA) return;
  throw new ImportProblem(basename(file), [
    `It follows a schema before ${FIRST_SCHEMA}, which uses other names. Import a later return of the same organisation.`,
  ]);
}

function readHeader(file: string, { fields }: Group): Filing {
  const type = fields.get('ReturnTypeCd') ?? '';
  const form = FORMS.get(type);
  if (form === undefined) {
    throw new ImportProblem(basename(file), [
      `Form ${type} names no officers; 990, 990-EZ and 990-PF do.`,
    ]);
  }
  const ein = fields.get('Filer/EIN') ?? '';
  const [from, to] = [fields.get('TaxPeriodBeginDt') ?? '', fields.get('TaxPeriodEndDt') ?? ''];
  if (!/^\d{9}$/.test(ein) || !isDay(from) || !isDay(to)) {
    throw new ImportProblem(basename(file), ['Its header lacks the EIN or the tax period.']);
  }
  const filedAt = fields.get('ReturnTs') ?? '';
  const filed = filedAt.slice(0, 10);
  const name = nameIn(fields, 'Filer/BusinessName') || `EIN ${ein}`;
  return {
    form,
    organisation: { name, ein },
    address: addressIn(fields, 'Filer/USAddress'),
    from,
    to,
    filed: isDay(filed) ? filed : to,
    filedAt: isDay(filed) ? filedAt : to,
  };
}

interface Post {
  key: string;
  name: Entry['name'];
  title: string;
  sides: Side[];
  pay: number;
  address: Address | null;
}

/** Removes fields that the reader does not need, because all people stay in memory until the end of the return. */
function onlyRead(fields: Group['fields']): Map<string, string> {
  const kept = [...fields].filter(([name]) => PERSON_FIELDS.test(name));
  return new Map(kept.map(([name, text]) => [name, text.slice(0, LONGEST_FIELD)]));
}

const LONGEST_FIELD = 500;
const PERSON_FIELDS = /^(PersonNm|TitleTxt|USAddress\/.*|.*Amt|.*Rt|.*Ind)$/;

/** The maximum annual pay (US dollars). Nobody earns more. */
const MOST_PAY = 1_000_000_000;

function readPosts(file: string, groups: readonly Group[], filing: Filing) {
  const order = findNameOrder(groups.map(({ fields }) => fields.get('PersonNm') ?? ''));
  const posts: Post[] = [];
  const unread: string[] = [];
  for (const [at, { fields }] of groups.entries()) {
    const written = fields.get('PersonNm') ?? '';
    if (isLeftOut(fields) || written === '') continue;
    const name = readPersonName(written, order);
    if (name === null) {
      unread.push(written);
      continue;
    }
    const post = readPost(fields, name, filing);
    if (post.pay > MOST_PAY) {
      throw new ImportProblem(basename(file), [
        `The pay of person ${at + 1} of the return is absurd: ${post.pay} dollars.`,
      ]);
    }
    posts.push(post);
  }
  return { posts, unread };
}

/**
 * Returns true for an institution, which is not a person. Also returns true for people of earlier years, because a
 * return does not contain the dates of their service.
 */
function isLeftOut(fields: Group['fields']): boolean {
  return fields.has('FormerOfcrDirectorTrusteeInd') || fields.has('InstitutionalTrusteeInd');
}

function readPost(
  fields: Group['fields'],
  name: Entry['name'],
  { organisation, address: ofFiler }: Filing,
): Post {
  const title = inNameCase(fields.get('TitleTxt') ?? '').trim();
  const pay = PAY.reduce((sum, field) => sum + amountOf(fields.get(field)), 0);
  const hours = HOURS.reduce((sum, field) => sum + amountOf(fields.get(field)), 0);
  const isEmployee =
    pay > 0 ||
    hours >= HOURS_OF_WORK ||
    fields.has('KeyEmployeeInd') ||
    fields.has('HighestCompensatedEmployeeInd');
  const isOnBoard =
    fields.has('IndividualTrusteeOrDirectorInd') ||
    !isEmployee ||
    (!fields.has('ReportableCompFromOrgAmt') && BOARD_TITLES.test(title));
  const address = addressIn(fields, 'USAddress');
  return {
    key: `990:${organisation.ein}:${nameKey(name)}`,
    name,
    title: title === '' ? 'Officer' : title,
    sides: [
      ...(isEmployee ? (['work'] as const) : []),
      ...(isOnBoard ? (['boards'] as const) : []),
    ],
    pay,
    // The address is left out if it is the foundation's own address, which most foundations use for everyone.
    address: JSON.stringify(address) === JSON.stringify(ofFiler) ? null : address,
  };
}

const PAY = [
  'ReportableCompFromOrgAmt',
  'ReportableCompFromRltdOrgAmt',
  'OtherCompensationAmt',
  'CompensationAmt',
  'EmployeeBenefitProgramAmt',
];
const HOURS = ['AverageHoursPerWeekRt', 'AverageHrsPerWkDevotedToPosRt'];

function toEntry(post: Post, filing: Filing, grantShare: number, grants: number): Entry {
  const { form, organisation, from, to, filed } = filing;
  const note = (confidence: number): SourceNote => ({
    source: 'irs-990',
    reference: `${form}, EIN ${organisation.ein.slice(0, 2)}-${organisation.ein.slice(2)}, tax period ${from} to ${to}`,
    date: filed,
    confidence,
  });
  const isFoundation = form === 'Form 990-PF' && post.sides.includes('boards');
  const byPay = roundedDown(post.pay * SHARE_OF_PAY * YEARS);
  const byGrants = isFoundation ? roundedDown(grantShare * YEARS) : 0;
  const capacity = Math.max(byPay, byGrants);
  return entryOf({
    keys: [post.key],
    name: post.name,
    source: note(CONFIDENCE.name),
    addresses: post.address === null ? [] : [post.address],
    roles: post.sides.map((side) => ({
      side,
      organisation,
      title: post.title,
      start: from,
      end: to,
      // A return lists the complete board but only some of the employees.
      ...(side === 'work' ? { body: 'nonprofit' as const } : {}),
      source: note(CONFIDENCE.role),
    })),
    capacity:
      capacity === 0
        ? null
        : {
            value: capacity,
            source: note(
              byPay >= byGrants ? CONFIDENCE.capacityByPay : CONFIDENCE.capacityByGrants,
            ),
          },
    bio:
      isFoundation && grants > 0
        ? [
            `${organisation.name} paid $${grants.toLocaleString('en-US')} in grants in the year to ${to}.`,
          ]
        : [],
  });
}

/** Rounds an estimate down to two significant digits. The estimate is not more precise than that. */
function roundedDown(dollars: number): number {
  if (dollars < 1) return 0;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(dollars)) - 1);
  return Math.floor(dollars / step) * step;
}

function nameIn(fields: Group['fields'], way: string): string {
  const lines = [
    'BusinessNameLine1Txt',
    'BusinessNameLine1',
    'BusinessNameLine2Txt',
    'BusinessNameLine2',
  ];
  const texts = lines
    .map((line) => fields.get(`${way}/${line}`))
    .filter((text) => text !== undefined);
  return readOrganisationName(texts.join(' '));
}

function addressIn(fields: Group['fields'], way: string): Address | null {
  const text = (...names: string[]) =>
    names.map((name) => fields.get(`${way}/${name}`)).find((one) => one !== undefined) ?? '';
  const street = text('AddressLine1Txt', 'AddressLine1');
  const city = text('CityNm', 'City');
  const state = text('StateAbbreviationCd', 'State');
  if (street === '' || city === '' || state === '') return null;
  return {
    street: inNameCase(street),
    city: inNameCase(city),
    state,
    postalCode: text('ZIPCd', 'ZIPCode').slice(0, 5),
  };
}

function amountIn({ fields }: Group, field: string): number {
  return amountOf(fields.get(field));
}

function amountOf(text: string | undefined): number {
  const amount = Number(text ?? 0);
  return Number.isFinite(amount) ? Math.max(0, amount) : 0;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
