import type { Exclusion, PrivacyMarks } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { Log } from '../../src/core/log.ts';
import type { AutomaticMark, ContactsSettings } from '../contract.ts';
import type { MarkMeaning } from '../marks/mark-values.ts';
import type { SalesforceApi } from './api.ts';
import { type DescribedField, describeIfSeen, type ObjectDescription } from './describe.ts';
import { isMarked, PICKLIST_TYPES, readListed, readMark, requireField } from './marks.ts';
import type { ColumnReader } from './query.ts';
import { hasSuccessPack } from './success-pack.ts';
import { blankToNull } from './values.ts';

/** The fields with which Salesforce itself marks contacts that must be excluded. */
export interface ExclusionShape {
  /** The columns that donor-sync selects to find these marks. */
  columns: readonly string[];
  /**
   * The fields that donor-sync checks for each reason to exclude a contact. A reason is null if the settings allow
   * research about such people.
   */
  marks: Readonly<Record<Exclusion, MarkNames | null>>;
  /**
   * Returns the reason to exclude the contact. The Nonprofit Success Pack ticks both checkboxes for a deceased contact,
   * so "deceased" has priority.
   */
  getExclusion(read: ColumnReader): Exclusion | 'mark_unknown' | null;
  /**
   * Returns true if the person forbids research. A person's objection to research has priority over the mark "do not
   * contact".
   */
  isObjection(read: ColumnReader): boolean;
  /**
   * The checkboxes of Individuals that express objections, for example `Individual.ShouldForget`.
   */
  objections: readonly string[];
  /**
   * Returns the person's requests about their data under the key `privacy`. Returns an empty object if the person has
   * made no such requests.
   */
  getPrivacy(read: ColumnReader): { privacy?: PrivacyMarks };
}

/** The fields that mark contacts, for example `Individual.ShouldForget`. */
export interface MarkNames {
  readable: readonly string[];
  /** Fields that the org has, but that the CRM user of donor-sync cannot see. */
  hidden: readonly string[];
}

/** The fields that donor-sync checks for each reason, even if the settings do not name them. */
const KNOWN = {
  deceased: {
    pack: 'npsp__Deceased__c',
    /**
     * In some industries, orgs have this field with the date of death. The field with the date of death is blank for
     * living contacts.
     */
    own: ['DeceasedDate', 'PersonDeceasedDate'],
    individual: ['DeathDate'],
  },
  do_not_contact: {
    pack: 'npsp__Do_Not_Contact__c',
    own: [],
    individual: ['HasOptedOutProcessing', 'HasOptedOutProfiling', 'ShouldForget'],
  },
} satisfies Record<Exclusion, { pack: string; own: string[]; individual: string[] }>;

/** The contact's lookup field for the record with the person's consent (Data Protection and Privacy). */
const INDIVIDUAL = 'IndividualId';
const INDIVIDUAL_ID = 'Individual.Id';

export function automaticMarks(
  { marks }: Pick<ExclusionShape, 'marks'>,
  { deceasedField, doNotContactField }: ContactsSettings,
): AutomaticMark[] {
  const own = (names: MarkNames | null, named: string | null | undefined) =>
    (names?.readable ?? []).filter((name) => name !== named);
  const all: AutomaticMark[] = [
    { kind: 'deceased', fields: own(marks.deceased, deceasedField) },
    { kind: 'doNotContact', fields: own(marks.do_not_contact, doNotContactField) },
  ];
  return all.filter(({ fields }) => fields.length > 0);
}

interface ExclusionOptions {
  contacts: ContactsSettings;
  log: Log;
}

/** Finds the fields that mark contacts. If contacts refer to Individuals, the function sends one more request. */
export async function shapeExclusions(
  api: SalesforceApi,
  description: ObjectDescription,
  { contacts, log }: ExclusionOptions,
): Promise<ExclusionShape> {
  const wantsDeceased = contacts.includeDeceased !== true;
  const wantsDoNotContact = contacts.includeDoNotContact !== true;
  const individual = description.fields.has(INDIVIDUAL)
    ? await describeIfSeen(api, 'Individual')
    : undefined;
  const requests = findRequests(individual);
  const deceased = wantsDeceased
    ? findMarks(description, individual, 'deceased', namedField(description, contacts, 'deceased'))
    : NO_MARKS;
  const doNotContact = wantsDoNotContact
    ? findMarks(
        description,
        individual,
        'do_not_contact',
        namedField(description, contacts, 'doNotContact'),
      )
    : NO_MARKS;
  const forbids = doNotContact.found.some(({ isOfIndividual }) => isOfIndividual);
  const isHidden = createHiddenIndividual(log);
  const found = [...deceased.found, ...doNotContact.found];
  const asked = Object.values(requests).filter((mark) => mark !== null);
  // Contacts that must be erased are always excluded. A setting cannot change the rule that contacts to be erased are
  // excluded.
  const isToForget = (read: ColumnReader) =>
    requests.shouldForget !== null && isSet(requests.shouldForget, read);
  return {
    columns: [
      ...(forbids ? [INDIVIDUAL, INDIVIDUAL_ID] : []),
      ...new Set([...found, ...asked].map(({ name }) => name)),
    ],
    marks: {
      deceased: wantsDeceased ? toMarkNames(deceased) : null,
      do_not_contact: wantsDoNotContact ? toMarkNames(doNotContact) : null,
    },
    isObjection: (read) =>
      isToForget(read) ||
      doNotContact.found.some((mark) => mark.isOfIndividual && isSet(mark, read)),
    objections: [
      ...new Set(
        [...doNotContact.found, ...asked].flatMap(({ name, field, isOfIndividual }) =>
          isOfIndividual && field.type === 'boolean' ? name : [],
        ),
      ),
    ].filter((name) => name !== requests.isOnHold?.name),
    getPrivacy(read) {
      const privacy = {
        shouldForget: isToForget(read),
        objectsToProfiling:
          requests.objectsToProfiling !== null && isSet(requests.objectsToProfiling, read),
        isOnHold: requests.isOnHold !== null && isSet(requests.isOnHold, read),
      };
      return Object.values(privacy).includes(true) ? { privacy } : {};
    },
    getExclusion(read) {
      if (deceased.found.some((mark) => isSet(mark, read))) return 'deceased';
      if (isToForget(read) || doNotContact.found.some((mark) => isSet(mark, read))) {
        return 'do_not_contact';
      }
      if (forbids && isHidden(read)) return 'do_not_contact';
      return found.some((mark) => meaningIn(mark, read) === 'unknown') ? 'mark_unknown' : null;
    },
  };
}

interface Mark {
  name: string;
  field: DescribedField;
  /** True if the field belongs to the object Individual. The value is blank if the contact has no Individual. */
  isOfIndividual: boolean;
  /**
   * Interprets a value with the lists in the settings. The lists are omitted if the settings contain none for this
   * field.
   */
  listed?: (raw: unknown) => MarkMeaning;
}

/**
 * The fields of Individual that contain the person's requests about their data. A field is null if the org does not
 * have it, or if the user cannot see it.
 */
type RequestMarks = Readonly<Record<keyof PrivacyMarks, Mark | null>>;

function findRequests(individual: ObjectDescription | null | undefined): RequestMarks {
  const markNamed = (name: string): Mark | null => {
    const field = individual?.fields.get(name);
    return field === undefined ? null : { name: `Individual.${name}`, field, isOfIndividual: true };
  };
  return {
    shouldForget: markNamed('ShouldForget'),
    objectsToProfiling: markNamed('HasOptedOutProfiling'),
    isOnHold: markNamed('HasPrivacyHold'),
  };
}

interface Marks {
  found: readonly Mark[];
  hidden: readonly string[];
}

const NO_MARKS: Marks = { found: [], hidden: [] };

/** Returns the request fields. Returns undefined if the org has no Individuals, and null if Individuals are hidden. */
function findMarks(
  description: ObjectDescription,
  individual: ObjectDescription | null | undefined,
  reason: Exclusion,
  named: NamedMark | null,
): Marks {
  const known = KNOWN[reason];
  const found = new Map<string, Mark>();
  const hidden: string[] = [];
  const add = (name: string, field: DescribedField | undefined, isOfIndividual: boolean) => {
    if (field !== undefined) found.set(name, { name, field, isOfIndividual });
    return field !== undefined;
  };
  const { fields } = description;
  if (!add(known.pack, fields.get(known.pack), false) && hasSuccessPack(description)) {
    hidden.push(known.pack);
  }
  // The description lacks both missing and hidden fields, so donor-sync cannot distinguish them.
  for (const name of known.own) add(name, fields.get(name), false);
  for (const name of individual === undefined ? [] : known.individual) {
    const path = `Individual.${name}`;
    if (!add(path, individual?.fields.get(name), true)) hidden.push(path);
  }
  if (named !== null) {
    const { field, listed } = named;
    found.set(field.name, { name: field.name, isOfIndividual: false, field, ...listed });
  }
  return { found: [...found.values()], hidden };
}

interface NamedMark {
  field: DescribedField;
  listed: Pick<Mark, 'listed'>;
}

function namedField(
  description: ObjectDescription,
  contacts: ContactsSettings,
  kind: 'deceased' | 'doNotContact',
): NamedMark | null {
  const setting = `${kind}Field` as const;
  const name = contacts[setting] ?? null;
  if (name === null) return null;
  const field = requireField(description, name, `contacts.${setting} names it.`);
  const marked = contacts[`${kind}Values`];
  if (marked != null) {
    const unmarked = contacts.unmarkedValues?.[kind];
    return { field, listed: { listed: readListed(field, kind, marked, unmarked) } };
  }
  if (!PICKLIST_TYPES.has(field.type)) return { field, listed: {} };
  const message = `contacts.${setting}: ${name} is a picklist, and "No" may be one of its values. List the values that mark a contact in contacts.${kind}Values and the others in contacts.unmarkedValues, or name a checkbox or a date.`;
  throw new ConfigurationError(message, {
    code: 'crm_field_unsuitable',
    details: { field: name },
  });
}

function toMarkNames({ found, hidden }: Marks): MarkNames {
  return { readable: found.map(({ name }) => name), hidden };
}

function isSet(mark: Mark, read: ColumnReader): boolean {
  return meaningIn(mark, read) === 'marked';
}

function meaningIn({ name, field, isOfIndividual, listed }: Mark, read: ColumnReader): MarkMeaning {
  const raw = isOfIndividual ? read(name) : readMark(read, name);
  if (listed !== undefined) return listed(raw);
  return isMarked(raw, field) ? 'marked' : 'unmarked';
}

/**
 * Returns true if the contact's Individual exists but is not shared with the CRM user of donor-sync. Individuals can
 * contain an objection to research. An Individual that donor-sync cannot read must not count as permission.
 */
function createHiddenIndividual(log: Log): (read: ColumnReader) => boolean {
  let isReported = false;
  return (read) => {
    if (blankToNull(read(INDIVIDUAL)) === null || blankToNull(read(INDIVIDUAL_ID)) !== null) {
      return false;
    }
    if (!isReported) {
      log.warn(
        {},
        'contacts point to Individuals that the integration user cannot see: they are excluded like contacts that must not be contacted',
      );
    }
    isReported = true;
    return true;
  };
}
