/** Creates custom fields in a custom group for individuals. */
import type { CrmFieldType, FieldSpec } from '../../src/core/crm-field.ts';
import type { FieldCreation } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readFields, readGroupsOfOthers } from './fields.ts';
import type { CivicrmSession } from './session.ts';

/** CiviCRM's type and form element for each of donor-sync's field types. */
const KINDS: Readonly<Record<CrmFieldType, { data_type: string; html_type: string }>> = {
  text: { data_type: 'String', html_type: 'Text' },
  longText: { data_type: 'Memo', html_type: 'TextArea' },
  url: { data_type: 'Link', html_type: 'Link' },
  integer: { data_type: 'Int', html_type: 'Text' },
  // CiviCRM's type Int cannot store amounts of billions.
  number: { data_type: 'Float', html_type: 'Text' },
  currency: { data_type: 'Money', html_type: 'Text' },
  percent: { data_type: 'Float', html_type: 'Text' },
  boolean: { data_type: 'Boolean', html_type: 'Radio' },
  date: { data_type: 'Date', html_type: 'Select Date' },
  // CiviCRM stores times without a time zone, so donor-sync stores only the date.
  datetime: { data_type: 'Date', html_type: 'Select Date' },
  picklist: { data_type: 'String', html_type: 'Select' },
  multiPicklist: { data_type: 'String', html_type: 'CheckBox' },
};

/** The maximum number of characters in CiviCRM's type String. Longer texts need CiviCRM's type Memo. */
const LONGEST_TEXT = 255;

const BY_HAND =
  'Give the user the permission "administer CiviCRM" while the fields are created, or create the field by hand under Administer → Custom Data and Screens → Custom Fields.';

export async function createFields(
  session: CivicrmSession,
  specs: readonly FieldSpec[],
): Promise<FieldCreation[]> {
  const creations: FieldCreation[] = [];
  session.fields = await readFields(session.api);
  const ofOthers = await readGroupsOfOthers(session.api);
  for (const spec of specs) creations.push(await createField(session, spec, ofOthers));
  session.fields = await readFields(session.api);
  return creations;
}

async function createField(
  session: CivicrmSession,
  spec: FieldSpec,
  groupsOfOthers: ReadonlySet<string>,
): Promise<FieldCreation> {
  const { name } = spec;
  throwIfStopped(session.signal);
  if (session.fields.has(name)) return { name, result: 'existed', problem: null };
  const [group = '', field, ...rest] = name.split('.');
  if (field === undefined || rest.length > 0 || !/^\w{1,64}$/.test(group + field)) {
    const problem = `${name} is not the name of a custom field: write the names of the group and of the field, with a dot in between.`;
    return { name, result: 'failed', problem };
  }
  if (groupsOfOthers.has(group)) {
    const problem = `The custom group ${group} is not for individuals, so a field in it would never be seen. Nothing was created. Choose another name for the group.`;
    return { name, result: 'failed', problem };
  }
  await requireGroup(session, group);
  const values = toValues(spec, group, field);
  const refused = await session.api.change('CustomField', 'create', { values });
  if (refused === null) return { name, result: 'created', problem: null };
  // donor-sync reads the fields again, because the response to an earlier attempt may have been lost.
  session.fields = await readFields(session.api);
  if (session.fields.has(name)) return { name, result: 'existed', problem: null };
  return { name, result: 'failed', problem: `CiviCRM refuses to create ${name}. ${BY_HAND}` };
}

/** Creates the group of fields. CiviCRM refuses the request if the group already exists. */
async function requireGroup({ api, fields }: CivicrmSession, name: string): Promise<void> {
  const isKnown = [...fields.keys()].some((field) => field.startsWith(`${name}.`));
  if (isKnown) return;
  const title = name.replaceAll('_', ' ');
  const values = { name, title, extends: 'Individual', style: 'Inline', is_active: true };
  await api.change('CustomGroup', 'create', { values });
}

function toValues(
  { label, type, maxLength = LONGEST_TEXT, options, description }: FieldSpec,
  group: string,
  name: string,
): object {
  const isLong = type === 'text' && options === undefined && maxLength > LONGEST_TEXT;
  const isChoice = type === 'text' && options !== undefined;
  const kind = isLong ? KINDS.longText : isChoice ? KINDS.picklist : KINDS[type];
  return {
    'custom_group_id.name': group,
    name,
    label,
    ...kind,
    help_pre: description,
    is_active: true,
    is_searchable: true,
    is_view: false,
    ...(kind.data_type === 'String' ? { text_length: LONGEST_TEXT } : {}),
    ...(kind.data_type === 'Date' ? { date_format: 'yy-mm-dd' } : {}),
    ...(kind.html_type === 'CheckBox' ? { serialize: 1 } : {}),
    ...(options === undefined
      ? {}
      : { option_values: options.map((option) => ({ id: option, name: option, label: option })) }),
  };
}
