import type { CrmField, CrmFieldType, FieldSpec } from '../../src/core/crm-field.ts';
import { isConfigurationError, messageOf } from '../../src/core/errors.ts';
import type { MoneyField } from '../../src/core/money.ts';
import type { FieldCreation } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { type DescribedField, describeObject, type ObjectDescription } from './describe.ts';
import { getCrmCode } from './errors.ts';
import { grantFields, lacksRight } from './permissions.ts';
import { buildMetadata } from './project/field-metadata.ts';
import type { SalesforceSession } from './session.ts';

/**
 * Returns the fields of Contact that contain a single value. The result says whether donor-sync's CRM user can read and
 * write each field.
 */
export function crmFields(
  { fields }: ObjectDescription,
  money: MoneyField | null = null,
): CrmField[] {
  return [...fields.values()].flatMap((field) => {
    const type = toFieldType(field);
    if (type === null) return [];
    const described = crmField(field, type);
    return [type === 'currency' && money !== null ? { ...described, money } : described];
  });
}

function crmField(field: DescribedField, type: CrmFieldType): CrmField {
  return {
    name: field.name,
    label: field.label,
    type,
    maxLength: hasLength(type) && field.length > 0 ? field.length : null,
    ...getDigits(field),
    options: (field.picklistValues ?? []).filter(({ active }) => active).map(({ value }) => value),
    restricted: field.restrictedPicklist,
    writable: isWritable(field),
  };
}

/**
 * donor-sync's field type for each Salesforce type. donor-sync has no field types for addresses, locations and files.
 */
const TYPES: Readonly<Record<string, CrmFieldType>> = {
  string: 'text',
  textarea: 'longText',
  url: 'url',
  email: 'text',
  phone: 'text',
  encryptedstring: 'text',
  id: 'text',
  reference: 'text',
  time: 'text',
  combobox: 'picklist',
  picklist: 'picklist',
  multipicklist: 'multiPicklist',
  boolean: 'boolean',
  int: 'integer',
  long: 'integer',
  double: 'number',
  currency: 'currency',
  percent: 'percent',
  date: 'date',
  datetime: 'datetime',
};

/** The Salesforce types that donor-sync does not write, because they do not accept arbitrary text. */
const CLOSED_TYPES: ReadonlySet<string> = new Set(['id', 'reference', 'time']);

function toFieldType({ type }: DescribedField): CrmFieldType | null {
  return Object.hasOwn(TYPES, type) ? (TYPES[type] ?? null) : null;
}

function hasLength(type: CrmFieldType): boolean {
  return ['text', 'longText', 'url', 'picklist', 'multiPicklist'].includes(type);
}

export function getDigits(
  field: DescribedField,
): Pick<CrmField, 'integerDigits' | 'decimalDigits'> {
  switch (field.type) {
    case 'int':
    case 'long':
      return { integerDigits: field.digits > 0 ? field.digits : null, decimalDigits: 0 };
    case 'double':
    case 'currency':
    case 'percent': {
      const { precision, scale } = field;
      if (precision === 0) return { integerDigits: null, decimalDigits: null };
      return { integerDigits: precision - scale, decimalDigits: scale };
    }
    default:
      return { integerDigits: null, decimalDigits: null };
  }
}

function isWritable({ type, updateable, calculated, autoNumber }: DescribedField): boolean {
  return updateable && !calculated && !autoNumber && !CLOSED_TYPES.has(type);
}

/** The number of times that donor-sync checks whether a new field is visible, and the waits between the checks. */
const LOOKS = 5;
const LOOK_WAIT_MS = 1_000;

/**
 * Creates missing fields and gives the CRM user of donor-sync access to them. If donor-sync did not grant access, not
 * even an administrator could see a new field. If necessary, the function also gives access to existing fields.
 */
export async function createFields(
  session: SalesforceSession,
  specs: readonly FieldSpec[],
): Promise<FieldCreation[]> {
  session.description = await describeObject(session.api, 'Contact');
  const creations: FieldCreation[] = [];
  for (const spec of specs) creations.push(await createField(session, spec));
  const unusable = creations.flatMap(({ name, result }) =>
    result === 'failed' || isEditable(session, name) ? [] : [name],
  );
  if (unusable.length === 0) return creations;
  const problems = await grantFields(session, unusable);
  await awaitEditable(
    session,
    unusable.filter((name) => !problems.has(name)),
  );
  return creations.map((creation) => {
    const isDone = creation.result === 'failed' || isEditable(session, creation.name);
    const problem = problems.get(creation.name) ?? NOT_VISIBLE_YET;
    return isDone ? creation : { name: creation.name, result: 'failed', problem };
  });
}

const NOT_VISIBLE_YET =
  "The field exists, but the integration's user cannot edit it yet. Grant it edit access in a " +
  'permission set, or try again in a minute if donor-sync has just done so.';

function isEditable({ description }: SalesforceSession, name: string): boolean {
  const field = description.fields.get(name);
  return field !== undefined && isWritable(field);
}

async function createField(session: SalesforceSession, spec: FieldSpec): Promise<FieldCreation> {
  const { name } = spec;
  if (session.description.fields.has(name)) return { name, result: 'existed', problem: null };
  if (!CUSTOM_NAME.test(name)) return { name, result: 'failed', problem: NO_CUSTOM_NAME };
  const Metadata = buildMetadata(spec);
  if (Metadata === null) {
    const problem = `Create it by hand: a ${spec.type} field needs options that donor-sync does not know.`;
    return { name, result: 'failed', problem };
  }
  try {
    const FullName = `Contact.${name}`;
    await session.api.send('POST', '/tooling/sobjects/CustomField', { FullName, Metadata });
    return { name, result: 'created', problem: null };
  } catch (error) {
    // The field already exists, because a user has created it without granting access to it.
    if (ALREADY_THERE.has(getCrmCode(error) ?? ''))
      return { name, result: 'existed', problem: null };
    const problem = creationProblem(error);
    if (problem === null) throw error;
    return { name, result: 'failed', problem };
  }
}

export const CUSTOM_NAME = /^[A-Za-z]\w{0,39}__c$/;
const NO_CUSTOM_NAME =
  'Names of custom fields in Salesforce consist of letters, digits and underscores, and end in ' +
  '__c. Choose such a name in the field map.';

const ALREADY_THERE: ReadonlySet<string> = new Set([
  'DUPLICATE_DEVELOPER_NAME',
  'DUPLICATE_VALUE',
  'FIELD_ALREADY_EXISTS',
]);

/** Returns the reason why a field cannot be created, or null if the failure has nothing to do with this field. */
function creationProblem(error: unknown): string | null {
  if (!isConfigurationError(error) || error.code !== 'crm_request_refused') return null;
  if (lacksRight(error)) return NO_RIGHT_TO_CREATE;
  return `${messageOf(error)} An admin can create the field by hand instead.`;
}

const NO_RIGHT_TO_CREATE =
  "The integration's user cannot create fields, because the user lacks the permission “Customize Application” (with " +
  '“View Setup and Configuration”). A System Administrator can grant it in a permission set for as long as ' +
  '`fields create` takes, or create the field by hand: Setup → Object Manager → Contact.';

/** Waits until the description of Contact shows the new access. */
async function awaitEditable(session: SalesforceSession, names: readonly string[]): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    session.description = await describeObject(session.api, 'Contact');
    if (names.every((name) => isEditable(session, name))) return;
    await session.clock.sleep(LOOK_WAIT_MS, session.signal);
    throwIfStopped(session.signal);
  }
}
