import type { Exclusion } from '../../src/core/contact.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { Log } from '../../src/core/log.ts';
import type { ContactsSettings } from '../contract.ts';
import type { SalesforceApi } from './api.ts';
import { type DescribedField, describeIfSeen, type ObjectDescription } from './describe.ts';
import { isMarked, markOf, PICKLIST_TYPES, requireField } from './marks.ts';
import type { ColumnReader } from './query.ts';
import { hasSuccessPack } from './success-pack.ts';
import { blankToNull } from './values.ts';

/** Who is left out by a mark of the CRM's own. */
export interface ExclusionShape {
  /** What to select. */
  columns: readonly string[];
  /** What tells of each reason; null where the settings let such people be researched. */
  marks: Readonly<Record<Exclusion, MarkNames | null>>;
  /** The more telling reason: the Nonprofit Success Pack ticks both boxes for the dead. */
  exclusionOf(read: ColumnReader): Exclusion | null;
}

/** Fields by their names, for example `Individual.ShouldForget`. */
export interface MarkNames {
  readable: readonly string[];
  /** Fields that the org has and the integration's user may not see. */
  hidden: readonly string[];
}

/** Where each reason is found without being asked for. */
const KNOWN = {
  deceased: {
    pack: 'npsp__Deceased__c',
    /** In orgs of some industries; a date, blank for the living. */
    own: ['DeceasedDate', 'PersonDeceasedDate'],
    individual: ['DeathDate'],
  },
  do_not_contact: {
    pack: 'npsp__Do_Not_Contact__c',
    own: [],
    individual: ['HasOptedOutProcessing', 'HasOptedOutProfiling', 'ShouldForget'],
  },
} satisfies Record<Exclusion, { pack: string; own: string[]; individual: string[] }>;

/** Where a contact points to what its person allows (Data Protection and Privacy). */
const INDIVIDUAL = 'IndividualId';
const INDIVIDUAL_ID = 'Individual.Id';

interface ExclusionOptions {
  contacts: ContactsSettings;
  log: Log;
}

/** Looks for the marks; asks Salesforce once more only where contacts point to Individuals. */
export async function shapeExclusions(
  api: SalesforceApi,
  description: ObjectDescription,
  { contacts, log }: ExclusionOptions,
): Promise<ExclusionShape> {
  const deceasedField = contacts.deceasedField ?? null;
  const doNotContactField = contacts.doNotContactField ?? null;
  const wantsDeceased = contacts.includeDeceased !== true;
  const wantsDoNotContact = contacts.includeDoNotContact !== true;
  const asksIndividuals =
    (wantsDeceased || wantsDoNotContact) && description.fields.has(INDIVIDUAL);
  const individual = asksIndividuals ? await describeIfSeen(api, 'Individual') : undefined;
  const deceased = wantsDeceased
    ? findMarks(
        description,
        individual,
        'deceased',
        namedField(description, 'deceasedField', deceasedField),
      )
    : NO_MARKS;
  const doNotContact = wantsDoNotContact
    ? findMarks(
        description,
        individual,
        'do_not_contact',
        namedField(description, 'doNotContactField', doNotContactField),
      )
    : NO_MARKS;
  const forbids = doNotContact.found.some(({ isOfIndividual }) => isOfIndividual);
  const isHidden = createHiddenIndividual(log);
  const found = [...deceased.found, ...doNotContact.found];
  return {
    columns: [...(forbids ? [INDIVIDUAL, INDIVIDUAL_ID] : []), ...found.map(({ name }) => name)],
    marks: {
      deceased: wantsDeceased ? namesOf(deceased) : null,
      do_not_contact: wantsDoNotContact ? namesOf(doNotContact) : null,
    },
    exclusionOf(read) {
      if (found.length === 0) return null;
      if (deceased.found.some((mark) => isSet(mark, read))) return 'deceased';
      if (doNotContact.found.some((mark) => isSet(mark, read))) return 'do_not_contact';
      return forbids && isHidden(read) ? 'do_not_contact' : null;
    },
  };
}

/** A field that marks people. */
interface Mark {
  name: string;
  field: DescribedField;
  /** Such a field is blank for contacts that point to no Individual. */
  isOfIndividual: boolean;
}

interface Marks {
  found: readonly Mark[];
  hidden: readonly string[];
}

const NO_MARKS: Marks = { found: [], hidden: [] };

/** `individual` is undefined where contacts point to none, and null where the user may not see them. */
function findMarks(
  description: ObjectDescription,
  individual: ObjectDescription | null | undefined,
  reason: Exclusion,
  named: DescribedField | null,
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
  // An org without such a field and one that hides it look the same.
  for (const name of known.own) add(name, fields.get(name), false);
  for (const name of individual === undefined ? [] : known.individual) {
    const path = `Individual.${name}`;
    if (!add(path, individual?.fields.get(name), true)) hidden.push(path);
  }
  if (named !== null) add(named.name, named, false);
  return { found: [...found.values()], hidden };
}

/** The further field that the settings name. */
function namedField(
  description: ObjectDescription,
  setting: 'deceasedField' | 'doNotContactField',
  name: string | null,
): DescribedField | null {
  if (name === null) return null;
  const field = requireField(description, name, `contacts.${setting} names it.`);
  if (!PICKLIST_TYPES.has(field.type)) return field;
  const message = `contacts.${setting}: ${name} is a picklist, and "No" may be one of its values: name a checkbox or a date, for example a formula field over it.`;
  throw new ConfigurationError(message, {
    code: 'crm_field_unsuitable',
    details: { field: name },
  });
}

function namesOf({ found, hidden }: Marks): MarkNames {
  return { readable: found.map(({ name }) => name), hidden };
}

function isSet({ name, field, isOfIndividual }: Mark, read: ColumnReader): boolean {
  return isMarked(isOfIndividual ? read(name) : markOf(read, name), field);
}

/**
 * True of a contact that points to an Individual which is not shared with the user. What a person
 * forbids stands there, and what cannot be read must not look like permission.
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
        'contacts point to Individuals that the integration user may not see: they are left out like those who want no contact',
      );
    }
    isReported = true;
    return true;
  };
}
