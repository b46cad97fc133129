import { z } from 'zod';
import type { CrmField, CrmFieldType, FieldSpec } from '../../src/core/crm-field.ts';
import { isConfigurationError, messageOf } from '../../src/core/errors.ts';
import type { FieldCreation } from '../contract.ts';
import { type DescribedProperty, describeProperties, isMoney, isSensitive } from './describe.ts';
import { faultBehind, getCrmCode, readAs } from './errors.ts';
import type { MoneyOf } from './money/currencies.ts';
import type { HubspotSession } from './session.ts';
import { mayHave, WRITE_CONTACTS, WRITE_SCHEMAS, WRITE_SENSITIVE } from './sign-in/scopes.ts';
import { isCheckbox, isMultiple, isPercent } from './values.ts';

/**
 * Returns the contact properties that contain a single value. For each property, shows whether the token can read and
 * write it.
 */
export function crmFields(
  {
    properties,
    signIn,
    seesSensitive,
  }: Pick<HubspotSession, 'properties' | 'signIn' | 'seesSensitive'>,
  moneyOf: MoneyOf = () => null,
): CrmField[] {
  const mayWrite = mayHave(signIn, WRITE_CONTACTS);
  // If the token cannot read the values, donor-sync must not write them. Unreadable values look blank, so donor-sync
  // would overwrite existing values.
  const mayWriteSensitive = mayWrite && seesSensitive && mayHave(signIn, WRITE_SENSITIVE);
  return [...properties.values()].flatMap((property) => {
    const type = toFieldType(property);
    if (type === null) return [];
    const money = moneyOf(property);
    const field = crmField(property, type, isSensitive(property) ? mayWriteSensitive : mayWrite);
    return [money === null ? field : { ...field, money }];
  });
}

function crmField(property: DescribedProperty, type: CrmFieldType, mayWrite: boolean): CrmField {
  const isPicklist = type === 'picklist' || type === 'multiPicklist';
  return {
    name: property.name,
    label: property.label,
    type,
    maxLength: TEXT_TYPES.has(type) ? MAX_TEXT_LENGTH : null,
    integerDigits: null,
    decimalDigits: null,
    options: isPicklist
      ? property.options.filter(({ hidden }) => !hidden).map(({ value }) => value)
      : [],
    restricted: isPicklist,
    writable: mayWrite && isWritable(property),
  };
}

/** The maximum number of characters in a HubSpot text. */
const MAX_TEXT_LENGTH = 65_536;
const TEXT_TYPES: ReadonlySet<CrmFieldType> = new Set(['text', 'longText', 'url']);

/** The field types for text with several lines. */
const LONG_TEXTS: ReadonlySet<string> = new Set(['textarea', 'html']);

/** Returns donor-sync's type for a property. Returns null for objects and locations. */
function toFieldType(property: DescribedProperty): CrmFieldType | null {
  switch (property.type) {
    case 'string':
      return LONG_TEXTS.has(property.fieldType) ? 'longText' : 'text';
    case 'phone_number':
      return 'text';
    case 'number':
      return numberType(property);
    case 'bool':
      return 'boolean';
    case 'date':
      return 'date';
    case 'datetime':
      return 'datetime';
    case 'enumeration':
      if (isCheckbox(property)) return 'boolean';
      return isMultiple(property) ? 'multiPicklist' : 'picklist';
    default:
      return null;
  }
}

function numberType(property: DescribedProperty): CrmFieldType {
  if (isPercent(property)) return 'percent';
  return isMoney(property) ? 'currency' : 'number';
}

/**
 * Returns true if donor-sync can write the property. Only HubSpot can change calculated values. Owners and files do not
 * accept arbitrary values.
 */
function isWritable({
  calculated,
  externalOptions,
  fieldType,
  modificationMetadata,
}: DescribedProperty): boolean {
  const isOwn = calculated || fieldType === 'calculation_equation' || externalOptions;
  return !isOwn && fieldType !== 'file' && !(modificationMetadata?.readOnlyValue ?? false);
}

/** The group that contains the properties on a contact's page. */
const GROUP = { name: 'donor_sync', label: 'donor-sync' };

/**
 * Creates missing properties in a separate group. If an archived property has the same name, the function restores that
 * property.
 */
export async function createFields(
  session: HubspotSession,
  specs: readonly FieldSpec[],
): Promise<FieldCreation[]> {
  session.properties = await describeProperties(session.api, session.settings);
  const isAnyMissing = specs.some(({ name }) => !session.properties.has(name));
  const groupProblem = isAnyMissing ? await ensureGroup(session) : null;
  const creations: FieldCreation[] = [];
  for (const spec of specs) creations.push(await createField(session, spec, groupProblem));
  if (creations.some(({ result }) => result === 'created')) {
    session.properties = await describeProperties(session.api, session.settings);
  }
  return creations;
}

/** Creates the group if it does not exist. Returns null if the group exists, or a problem. */
async function ensureGroup({ api }: HubspotSession): Promise<string | null> {
  try {
    await api.post(api.paths.propertyGroups, { ...GROUP, displayOrder: -1 });
    return null;
  } catch (error) {
    return isThereAlready(error) ? null : describeProblem(error);
  }
}

async function createField(
  session: HubspotSession,
  spec: FieldSpec,
  groupProblem: string | null,
): Promise<FieldCreation> {
  const { name } = spec;
  const { api, properties } = session;
  if (properties.has(name)) return { name, result: 'existed', problem: null };
  const form = toPropertyBody(spec);
  const problem = nameProblem(name) ?? groupProblem ?? (form === null ? noOptions(spec) : null);
  if (problem !== null) return { name, result: 'failed', problem };
  try {
    const { label, description } = spec;
    const sensitivity = session.settings.sensitiveData ? { dataSensitivity: 'sensitive' } : {};
    const body = { name, label, description, groupName: GROUP.name, ...form, ...sensitivity };
    await api.post(api.paths.properties, body);
    return { name, result: 'created', problem: null };
  } catch (error) {
    if (isThereAlready(error)) return alreadyThere(session, name);
    return { name, result: 'failed', problem: describeProblem(error) };
  }
}

const propertySchema = z.object({ dataSensitivity: z.string().optional().catch(undefined) });

/**
 * Returns the result for a property that already exists. A property that is missing from HubSpot's list may store
 * Sensitive Data. HubSpot lists properties with Sensitive Data only if a request asks for them.
 */
async function alreadyThere({ api }: HubspotSession, name: string): Promise<FieldCreation> {
  const answer = await api.get(`${api.paths.properties}/${encodeURIComponent(name)}`);
  const { dataSensitivity = 'non_sensitive' } = readAs(propertySchema, answer);
  if (dataSensitivity === 'non_sensitive') return { name, result: 'existed', problem: null };
  const problem = `The property already exists in HubSpot, but it stores Sensitive Data (${dataSensitivity}): set crm.sensitiveData: true, or map another property.`;
  return { name, result: 'failed', problem };
}

function nameProblem(name: string): string | null {
  if (/^[a-z][a-z0-9_]{0,99}$/.test(name)) return null;
  return (
    'Internal names of HubSpot properties consist of lowercase letters, digits and underscores, and ' +
    'start with a letter. Choose such a name in the field map.'
  );
}

function noOptions({ type }: FieldSpec): string {
  return `Create it by hand: a ${type} property needs options that donor-sync does not know.`;
}

function isThereAlready(error: unknown): boolean {
  return ALREADY_THERE.has(getCrmCode(error) ?? '');
}

const ALREADY_THERE: ReadonlySet<string> = new Set(['OBJECT_ALREADY_EXISTS', 'CONFLICT']);

/** Returns the problem as text. Throws the error again if it does not concern this property. */
function describeProblem(error: unknown): string {
  const isRefusal =
    isConfigurationError(error) &&
    ['crm_request_refused', 'crm_scope_missing'].includes(error.code);
  if (!isRefusal) throw error;
  const fault = faultBehind(error);
  if (error.code === 'crm_scope_missing' || fault?.code === 'MISSING_SCOPES') {
    return noRightToCreate(fault?.scopes ?? []);
  }
  return `${messageOf(error)} An admin can create the property by hand instead.`;
}

/**
 * Creates the message about missing scopes. The list `named` contains the scopes that HubSpot's error names, and may be
 * empty.
 */
function noRightToCreate(named: readonly string[]): string {
  const scopes = named.length === 0 ? WRITE_SCHEMAS : named.join(', ');
  return (
    `The token cannot create properties, because it lacks the scope ${scopes}. A super admin can add it to the ` +
    'service key or the app in HubSpot (with an app, connect again), or create the property by hand.'
  );
}

/** Returns the body of a request that creates a property of this type. Returns null for types that require options. */
function toPropertyBody({ type, options }: FieldSpec): Record<string, unknown> | null {
  if (options !== undefined) {
    return { type: 'enumeration', fieldType: 'select', options: options.map(toOption) };
  }
  switch (type) {
    case 'text':
    case 'url':
      return { type: 'string', fieldType: 'text' };
    case 'longText':
      return { type: 'string', fieldType: 'textarea' };
    case 'integer':
    case 'number':
    case 'currency':
    case 'percent':
      return { type: 'number', fieldType: 'number' };
    case 'boolean':
      return { type: 'bool', fieldType: 'booleancheckbox', options: YES_AND_NO };
    case 'date':
      return { type: 'date', fieldType: 'date' };
    case 'datetime':
      return { type: 'datetime', fieldType: 'date' };
    case 'picklist':
    case 'multiPicklist':
      return null;
  }
}

/**
 * Returns an option of a property. The option's internal value equals its label, so both are the same in lists and
 * reports.
 */
function toOption(value: string, displayOrder: number) {
  return { label: value, value, displayOrder, hidden: false };
}

const YES_AND_NO = [
  { label: 'Yes', value: 'true', displayOrder: 0, hidden: false },
  { label: 'No', value: 'false', displayOrder: 1, hidden: false },
];
