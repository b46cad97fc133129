import type { FieldSource } from '../../../src/core/field-map.ts';
import type { MappedFieldSpec } from '../../contract.ts';

/** A list of contacts, in the terms of the Metadata API. */
type ListView = {
  fullName: string;
  label: string;
  filterScope: 'Everything';
  columns: string[];
  filters: ({ field: string } & Condition)[];
};

type Condition = { operation: 'greaterOrEqual' | 'equals'; value: string | number };

/**
 * A subject that is worth a list. The first source in `by` that is mapped provides the field of the
 * condition.
 */
interface Interest {
  fullName: string;
  /** At most 40 characters. */
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

/** Columns that help users decide about a call, from left to right. Long texts cannot be columns. */
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

/**
 * Returns the lists for the available fields. Without `sharedTo`, a list is public: all users see it, and the
 * values in it if they may read the fields. The groups with which it could be shared differ from org to org.
 */
export function listViews(fields: readonly MappedFieldSpec[]): ListView[] {
  const named = new Map(fields.map((field) => [field.from, field]));
  const columns = ['FULL_NAME', ...COLUMNS.flatMap((source) => named.get(source)?.name ?? [])];
  return INTERESTS.flatMap(({ fullName, label, by, condition }): ListView[] => {
    const [asked] = by.flatMap((source) => named.get(source) ?? []);
    if (asked === undefined) return [];
    const filters = [{ field: asked.name, ...condition }];
    return [{ fullName, label, columns, filterScope: 'Everything', filters }];
  });
}
