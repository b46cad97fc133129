/** The action `Contact.getFields`, which describes the fields that the user can see. */

import { z } from 'zod';
import type { CustomField, Option } from '../custom/custom-fields.ts';
import { meets } from '../query/where.ts';
import type { Site } from '../site/site.ts';
import { CORE_FIELDS } from './contact-fields.ts';

const paramsSchema = z.object({
  action: z.string().default('get'),
  loadOptions: z.union([z.boolean(), z.array(z.string())]).default(false),
  select: z.array(z.string()).default([]),
  where: z.array(z.unknown()).default([]),
  /** The contact whose fields are requested. If the contact has no type, the response describes all fields. */
  values: z
    .object({
      contact_type: z.string().optional(),
      contact_sub_type: z.union([z.string(), z.array(z.string())]).nullish(),
    })
    .default({}),
});

/** Core fields that only one contact type has. */
const FIELDS_OF_TYPE: Readonly<Record<string, string>> = {
  organization_name: 'Organization',
  household_name: 'Household',
};

type Described = Record<string, unknown>;

export function describeFields(site: Site, input: unknown): Described[] {
  const { loadOptions, where, action, values } = paramsSchema.parse(input);
  const type = values.contact_type;
  const core = Object.entries(CORE_FIELDS)
    .filter(([name]) => type === undefined || (FIELDS_OF_TYPE[name] ?? type) === type)
    .map(([name, dataType]) => describeCore(name, dataType));
  const groups = action === 'get' ? [describeGroups()] : [];
  const custom = site.permissions.has('access all custom data')
    ? site.custom.list().filter((field) => field.isActive && isFor(field, values))
    : [];
  const described = [
    ...core,
    ...groups,
    ...custom.map((field) => describeCustom(site, field, loadOptions)),
  ];
  return described.filter((field) => meets(where, (name) => field[name]));
}

/**
 * Returns true if contacts with this type and subtype have the field. Contacts without a subtype have only fields for
 * all subtypes.
 */
function isFor(
  { contactType, subTypes }: CustomField,
  values: z.output<typeof paramsSchema>['values'],
): boolean {
  const { contact_type: type, contact_sub_type: subType } = values;
  if (type !== undefined && contactType !== 'Contact' && contactType !== type) return false;
  if (subType === undefined || subTypes.length === 0) return true;
  return [subType ?? []].flat().some((each) => subTypes.includes(each));
}

function describeCore(name: string, dataType: string): Described {
  const isFixed = ['id', 'display_name', 'created_date', 'modified_date'].includes(name);
  return {
    ...{ name, title: name, label: name, type: 'Field', data_type: dataType, entity: 'Contact' },
    ...{ input_type: 'Text', input_attrs: {}, options: false, serialize: null },
    ...{ readonly: isFixed, custom_group: null, custom_field_id: null, help_pre: null },
  };
}

function describeGroups(): Described {
  return {
    ...{ name: 'groups', title: 'Groups', label: 'In Groups', type: 'Filter' },
    ...{ data_type: 'Array', entity: 'Contact', input_type: null, input_attrs: {} },
    ...{ options: true, serialize: null, readonly: false, custom_group: null },
    ...{ custom_field_id: null, operators: ['IN', 'NOT IN'], help_pre: null },
  };
}

/** The type names that APIv4 uses. */
const API_TYPES: Readonly<Record<string, string>> = {
  Memo: 'Text',
  Int: 'Integer',
  Link: 'Url',
};

function describeCustom(
  site: Site,
  field: CustomField,
  loadOptions: boolean | readonly string[],
): Described {
  const options = field.optionGroupId !== null || field.dataType === 'Boolean';
  const hasLength = site.variants().tellsLengths && field.dataType === 'String';
  return {
    ...{ name: field.name, title: field.label, label: field.label, type: 'Custom' },
    ...{ data_type: API_TYPES[field.dataType] ?? field.dataType, entity: 'Contact' },
    ...{ input_type: field.htmlType, help_pre: field.helpPre, readonly: field.isViewOnly },
    input_attrs: {
      ...(hasLength ? { maxlength: field.textLength } : {}),
      ...(field.dataType === 'Date' ? { time: field.hasTime ? 1 : 0 } : {}),
      ...(field.dataType === 'Memo' ? { rows: 4, cols: 60 } : {}),
    },
    ...{ serialize: field.isSerialized ? 1 : null, custom_group: field.groupName },
    custom_field_id: field.id,
    options: options && loadOptions !== false ? shown(site, field, loadOptions) : options,
  };
}

function shown(site: Site, field: CustomField, loadOptions: boolean | readonly string[]): unknown {
  const options = site.custom.optionsOf(field);
  if (loadOptions === true) {
    return Object.fromEntries(options.map(({ value, label }) => [value, label]));
  }
  return options.map((option) => toColumns(option, loadOptions === false ? [] : loadOptions));
}

function toColumns({ value, label, name }: Option, columns: readonly string[]): Described {
  const all: Described = { id: value, label, name };
  return Object.fromEntries(columns.map((column) => [column, all[column] ?? null]));
}
