import type { FieldSource } from '../../../src/core/field-map.ts';
import type { MappedFieldSpec } from '../../contract.ts';

/** A list view of contacts or of person accounts, with the names that the Metadata API uses. */
type ListView = {
  fullName: string;
  label: string;
  filterScope: 'Everything';
  columns: string[];
  filters: ({ field: string } & Condition)[];
};

type Condition = { operation: 'greaterOrEqual' | 'equals'; value: string | number };

/** The condition of a list view. The condition uses the field of the first mapped source in `by`. */
interface Interest {
  fullName: string;
  /** The label of the list view, with at most 40 characters. */
  label: string;
  by: readonly FieldSource[];
  condition: Condition;
}

const INTERESTS: readonly Interest[] = [
  {
    fullName: 'donor_sync_high_capacity',
    label: 'donor-sync: high capacity',
    by: ['capacity.nonprofit', 'capacity.highest', 'netWorth.low'],
    condition: { operation: 'greaterOrEqual', value: 100_000 },
  },
  {
    fullName: 'donor_sync_warm_path',
    label: 'donor-sync: warm path',
    by: ['warmPath.strength'],
    condition: { operation: 'greaterOrEqual', value: 50 },
  },
];

/**
 * The columns that help users decide whom to call. A list view shows the columns from left to right in this order. Long
 * texts cannot be columns of a list view.
 */
const COLUMNS: readonly FieldSource[] = [
  'capacity.nonprofit',
  'capacity.highest',
  'netWorth.label',
  'warmPath.strength',
  'warmPath.introducer',
  'warmPath.network',
  'work.primary',
  'enhancedAt',
];

/** An object with list views. The object is Contact, or Account in an org with person accounts. */
export interface ListedObject {
  object: 'Contact' | 'Account';
  nameColumn: string;
  /** Returns the name of a custom Contact field on this object. */
  toFieldName(name: string): string;
}

export const CONTACTS: ListedObject = {
  object: 'Contact',
  nameColumn: 'FULL_NAME',
  toFieldName: (name) => name,
};

/** A person account shows the custom fields of its contact under names that end in `__pc`. */
export const PERSON_ACCOUNTS: ListedObject = {
  object: 'Account',
  nameColumn: 'ACCOUNT.NAME',
  toFieldName: (name) => name.replace(/__c$/, '__pc'),
};

/**
 * Returns the list views for the available fields. If `sharedTo` is omitted, all users see the list, and they see the
 * values if they may read the fields. donor-sync cannot choose groups to share the list with, because each org has
 * different groups.
 */
export function listViews(
  fields: readonly MappedFieldSpec[],
  { nameColumn, toFieldName }: ListedObject = CONTACTS,
): ListView[] {
  const named = new Map(fields.map((field) => [field.from, toFieldName(field.name)]));
  const columns = [nameColumn, ...COLUMNS.flatMap((source) => named.get(source) ?? [])];
  return INTERESTS.flatMap(({ fullName, label, by, condition }): ListView[] => {
    const [field] = by.flatMap((source) => named.get(source) ?? []);
    if (field === undefined) return [];
    return [
      { fullName, label, columns, filterScope: 'Everything', filters: [{ field, ...condition }] },
    ];
  });
}
