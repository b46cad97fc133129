import { z } from 'zod';
import { ApiError, unauthorized } from '../core/errors.ts';
import type { Row } from '../core/tables.ts';
import type { Site } from '../site/site.ts';

const groupSchema = z.object({
  title: z.string().min(1),
  name: z.string().optional(),
  extends: z.string(),
  /**
   * The subtypes of contacts that have the fields of the group. The list of subtypes is null if all contacts of the
   * type have the fields.
   */
  extends_entity_column_value: z.array(z.string()).nullable().default(null),
  is_active: z.boolean().default(true),
  style: z.string().default('Inline'),
  collapse_display: z.boolean().default(false),
});

const fieldSchema = z.object({
  custom_group_id: z.number().optional(),
  'custom_group_id.name': z.string().optional(),
  label: z.string().min(1),
  name: z.string().max(64).optional(),
  data_type: z.enum(['String', 'Int', 'Float', 'Money', 'Memo', 'Date', 'Boolean', 'Link']),
  html_type: z.string(),
  text_length: z.number().int().min(1).max(3_000).default(255),
  is_searchable: z.boolean().default(false),
  is_active: z.boolean().default(true),
  is_view: z.boolean().default(false),
  help_pre: z.string().nullable().default(null),
  serialize: z.number().nullable().default(null),
  time_format: z.number().nullable().default(null),
  date_format: z.string().nullable().default(null),
  /** The options of the field: labels by value, or a list of complete options. */
  option_values: z
    .union([
      z.record(z.string(), z.string()),
      z.array(z.object({ id: z.coerce.string(), name: z.string(), label: z.string() })),
    ])
    .optional(),
});

export function createCustomGroup(site: Site, values: unknown): Row {
  requireAdministrator(site);
  const group = groupSchema.parse(values);
  const name = group.name ?? toName(group.title);
  const groups = site.tables.of('CustomGroup');
  if ([...groups.all()].some((row) => row['name'] === name)) {
    throw new ApiError('DB Error: already exists');
  }
  return groups.insert({ ...group, name });
}

export function createCustomField(site: Site, values: unknown): Row {
  requireAdministrator(site);
  const { option_values: options, ...field } = fieldSchema.parse(values);
  const { tables } = site;
  const group = [...tables.of('CustomGroup').all()].find(
    (row) => row.id === field.custom_group_id || row['name'] === field['custom_group_id.name'],
  );
  if (group === undefined) throw new ApiError('Mandatory values missing: custom_group_id');
  const name = field.name ?? toName(field.label);
  if (site.custom.list().some((other) => other.name === `${group['name']}.${name}`)) {
    throw new ApiError('DB Error: already exists');
  }
  const optionGroup =
    options === undefined ? null : tables.of('OptionGroup').insert({ name: `${name}_options` });
  for (const option of optionRows(options)) {
    tables.of('OptionValue').insert({ ...option, option_group_id: optionGroup?.id });
  }
  return tables.of('CustomField').insert({
    ...field,
    ...{ name, custom_group_id: group.id, option_group_id: optionGroup?.id ?? null },
  });
}

function optionRows(options: z.output<typeof fieldSchema>['option_values']) {
  if (options === undefined) return [];
  if (Array.isArray(options)) return options.map(({ id, ...texts }) => ({ ...texts, value: id }));
  return Object.entries(options).map(([value, label]) => ({ value, label, name: value }));
}

/** Converts a title to a column name. CiviCRM replaces all characters that a column name cannot contain. */
function toName(title: string): string {
  return title.replaceAll(/\W+/g, '_').slice(0, 64);
}

export function requireAdministrator({ permissions }: Site): void {
  if (!permissions.has('administer CiviCRM')) throw unauthorized('Authorization failed');
}
